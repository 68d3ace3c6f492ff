"""Who sees a flag: a flag and a person in, the value and the condition that decided it out."""
