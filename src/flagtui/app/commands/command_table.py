"""Everything a person can do, declared once.

From this table come the bindings, the line of keys, the palette, the help screen, the check of a
person's own keymap and the key table of the documents. A key means one thing: where it works in several
places it does the same kind of thing in all of them.
"""

from collections.abc import Container, Iterable, Iterator
from typing import Final, cast

from textual.binding import BindingType

from flagtui.app.commands.command import Command, Place

__all__ = ["COMMANDS", "Command", "Place", "bindings_of", "commands_of"]

_ROWS: Final = """
flags flag
*! flags.toggle  space  on/off  switch  Turn the flag on or off

lists
*? lists.open  enter  .  .  Open what is under the cursor

flags flag experiments experiment events event activity journal
*!~ app.undo  u  .  .  Take back your last change, of whatever kind

flags flag
*! flags.rollout  percent_sign  .  .  Set the rollout: a number, or a step of the ramp
*! flags.edit  e  .  .  Edit the flag in a form
! flags.delete  d  .  .  Delete the flag softly; it can be restored
! flags.archive  a  .  .  Archive the flag, or bring it back from the archive
! flags.tags  T  .  .  Add, remove or set tags
! flags.edit_json  E  edit JSON  .  Edit the flag as JSON in your editor
! flags.copy_to  D  duplicate  .  Make a copy here, or copy the flag to other projects
! flags.schedule  at  .  .  Schedule a change of the flag, or see what is scheduled

flags
!~ flags.new  n  .  .  Make a new flag

flags flag activity
*? flags.who  w  .  open_tab('who')  Who sees it: evaluate the flag for one or two people
*? flags.history  h  .  open_tab('history')  What was changed, by whom; compare versions, go back to one

flags
- flags.runtime  r  .  cycle('runtime')  Filter by runtime: next value
?~ flags.deleted  ctrl+r  .  .  Flags that were deleted lately, to bring them back
?~ flags.ids  number_sign  find ids  .  Flags by pasted ids, also of other lists
?~ flags.my_values  I  my flags  my_flags  What every flag is for the holder of the key
?~ flags.definitions  ctrl+g  .  .  The data libraries evaluate flags with: look, search, write to a file

flag experiment event
- page.next_tab  tab,right  next tab  step_tab(1)  The next tab
- page.last_tab  shift+tab,left  tab before  step_tab(-1)  The tab before

flag
- flag.unmask  m  show secrets  .  Show encrypted payloads, or mask them again
! flag.cohort  C  .  .  Make a static cohort of everyone who has the flag now
! flag.dashboard  B  .  .  Make the usage dashboard, or enrich the one there is
- flag.copy_value  y  copy value  .  Copy the payload, or the value shown

json
* json.fold  enter  .  .  Fold or unfold what begins on this line
- json.fold_all  minus  fold all  .  Fold everything, or nothing
* json.search  slash  .  search_json  Search in the JSON

history
* history.compare  x  .  mark_version  Compare from this version: the cursor chooses the other one
*! history.return  z  bring back  .  Bring this version back, after the usual question

experiments experiment
*! experiments.launch  L  .  step('launch')  Launch the experiment; its flag is turned on
*! experiments.switch  space  pause  .  Pause or resume: its flag is turned off or on
*! experiments.end  F  finish  step('end')  End the experiment, with a conclusion and a comment
*! experiments.ship  W  .  step('ship')  Ship a variant: everybody gets it
*! experiments.edit  e  .  .  Edit it in a form: variants, metrics, exposure, statistics
! experiments.archive  a  .  .  Archive the experiment, or bring it back
! experiments.reset  Z  .  step('reset')  Back to a draft; results begin anew
! experiments.duplicate  D  .  .  A copy here with a flag of its own, or one in another project
! experiments.cohort  C  .  step('cohort')  A cohort of everybody who met it
! experiments.delete  d  .  step('delete')  Delete it softly; u brings it back
! experiments.edit_json  E  edit JSON  .  Edit it as JSON in your editor

experiments
*!~ experiments.new  n  .  .  Make a new experiment
- experiments.result  r  .  cycle('result')  Filter by result: next value

experiment experiments
*? experiments.read  R  results  read_results  Ask for results again, or stop asking

experiment
* experiments.metric  enter  .  .  The metric day by day

days
* days.table  v  table  .  Show the days as a table, or as a plot
* days.recalculate  R  calculate  .  Ask the server to calculate the days again
* days.read_again  f5  read again  .  Read what the server has stored

events
*?~ events.inbox  i  .  .  Tidy up: one event after the other

events event
*! events.verify  V  .  .  Verify the event, or take that back; verifying un-hides
*! events.hide  H  .  .  Hide the event, or show it again; hiding un-verifies
*! events.describe  e  .  .  Change the description
*! events.tags  T  .  .  Add and remove tags
*! events.owner  O  .  .  Choose who looks after it
*! events.delete  d  .  .  Delete the definition for real; the next event brings it back bare
! events.edit_json  E  edit JSON  .  Edit it as JSON in your editor
! events.describe_in_editor  ctrl+e  in editor  .  Change the description in your editor
! events.primary_property  K  property  .  Change the property that tells most
! events.enforcement  exclamation_mark  .  .  Accept or reject events that do not fit

event
* event.code  t  TypeScript  .  Show or hide the TypeScript of all events

inbox
*! inbox.verify  V  .  .  Decide to verify it
*! inbox.hide  H  .  .  Decide to hide it
*! inbox.take_tags  plus  tags  .  Take the proposed tags, or type some
*! inbox.describe  e  .  .  Describe it, starting from the proposal
*! inbox.same_as  M  same as  .  It is the same as its look-alike: hide it with a note
! inbox.tags  T  type tags  type_tags  Type tags instead of taking those proposed
* inbox.next  tab  .  .  Leave it for now
*! inbox.undo  u  .  .  Forget the last decision, or undo applied ones
*! inbox.apply  A  .  .  Apply everything decided
* inbox.reason  r  .  .  Filter by reason: next value
- inbox.open  enter  .  .  Open the event under the cursor
- inbox.down  down,j  .  rows('cursor_down')  One event down
- inbox.up  up,k  .  rows('cursor_up')  One event up
- inbox.page_down  pagedown,ctrl+d  page down  rows('page_down')  One page down
- inbox.page_up  pageup,ctrl+u  page up  rows('page_up')  One page up

deleted
*! deleted.restore  z  bring back  .  Bring back the flags that are marked, or this one; asks first

activity
*! activity.revert  z  take back  .  Take this change back, or restore the deleted flag; asks first
*> activity.moment  at  .  .  What was changed around a moment: type 14:05 or 20m after the @
* activity.copy  y  .  copy_lines  Copy the marked entries, or this one, as lines for a chat or a report

activity definitions
- activity.export  ctrl+s  to a file  .  Write what is marked, or all that is shown, to a file

journal
*! journal.revert  z  take back  .  Take back the change under the cursor
* journal.copy  y  .  .  Copy the change as Markdown to the terminal's clipboard

lists
*> lists.search  slash  .  .  Go to the search line
* lists.state  f  .  cycle('state')  Filter by state: next value
- lists.type  t  .  cycle('type')  Filter by type or kind: next value
- lists.mine  b  by me  cycle('mine')  Only what is mine, or anyone's
* lists.mark  x  .  rows('mark')  Mark or unmark what is under the cursor
- lists.mark_range  X  mark range  rows('mark_range')  Mark from the last mark to the cursor
- lists.mark_shown  ctrl+a  mark shown  .  Mark everything shown, or nothing
* lists.sort  s  .  .  Sort by the next column
- lists.reverse  S  .  .  Turn the order around
- lists.columns  c  .  .  Choose columns and their order
- lists.preview  v  .  .  Show or hide the preview beside the list
* lists.copy_key  y  copy  .  Copy the key or name to the terminal's clipboard
- lists.save_query  Q  save search  .  Give this search a name and a tab
- lists.query_5  5  search 5  query(5)  Go to the saved search with the key 5
- lists.query_6  6  search 6  query(6)  Go to the saved search with the key 6
- lists.query_7  7  search 7  query(7)  Go to the saved search with the key 7
- lists.query_8  8  search 8  query(8)  Go to the saved search with the key 8
- lists.query_9  9  search 9  query(9)  Go to the saved search with the key 9

lists flag experiment event
? lists.copy_menu  Y  copy as  .  Copy key, id, link, JSON, curl or command
? lists.link  o  browser  .  Open it in the browser, or show its link

flags flag experiments experiment events event
? lists.links  l  links  .  Go to what it names: its flag, its experiments, what depends on it

lists
- lists.down  down,j  .  rows('cursor_down')  One line down
- lists.up  up,k  .  rows('cursor_up')  One line up
- lists.page_down  pagedown  page down  rows('page_down')  One page down
- lists.page_up  pageup  page up  rows('page_up')  One page up
- lists.half_down  ctrl+d  half page down  rows('half_page_down')  Half a page down
- lists.half_up  ctrl+u  half page up  rows('half_page_up')  Half a page up
- lists.first  home,g  .  rows('first')  To the first line
- lists.last  end,G  .  rows('last')  To the last line

flag experiment event days
- page.down  down,j  .  scroll('down')  One line down
- page.up  up,k  .  scroll('up')  One line up
- page.page_down  pagedown,ctrl+d  page down  scroll('page_down')  One page down
- page.page_up  pageup,ctrl+u  page up  scroll('page_up')  One page up
- page.first  home,g  .  scroll('first')  To the top
- page.last  end,G  .  scroll('last')  To the end

form
*! form.save  ctrl+s  .  .  Show what would change, and save it
* form.share  percent_sign  .  .  Set the share of a condition or variant
* form.remove  d,delete  .  .  Remove the condition, property, variant or payload; u brings it back
* form.undo  u  .  .  Take back the last thing you changed in the form
* form.up  less_than_sign,ctrl+up  .  move(-1)  Move the condition up
* form.down  greater_than_sign,ctrl+down  .  move(1)  Move the condition down
* form.distribute  equals_sign  even shares  .  Give every variant the same share
* form.back  escape  leave  back  Leave the form; asks first when something was changed

flags flag experiments experiment events event activity journal
!~ app.redo  U  .  .  Make again what you undid last

everywhere
- app.flags  1  .  app.tab('1')  Go to the flags
- app.experiments  2  .  app.tab('2')  Go to the experiments
- app.events  3  .  app.tab('3')  Go to the event definitions
- app.activity  4  .  app.tab('4')  Go to the activity of the project
*?~ app.project  p  .  app.project  Switch to another project
- app.profile  P  .  app.profile  Switch to another profile
- app.journal  J  .  app.journal  Journal: your changes from this machine; search them, take any of them back
?~ app.since  equals_sign  .  app.since  What differs in this list since a moment, such as yesterday 18:00
- app.theme  f2  .  app.theme  Another theme: light, dark, high contrast
- app.settings  f4  .  app.settings  Read the settings file again: theme, keys, columns, profile
- app.tour  f3  .  app.tour  A minute's tour, or its end
- app.refresh  f5  .  app.refresh_now  Ask the server for everything again
- app.sign_in  ctrl+l  sign in  app.sign_in  Sign in with another key
- app.suspend  ctrl+z  .  app.suspend  Back to the shell; its fg brings flagtui back
- app.quit  q,ctrl+q  .  app.quit  Quit flagtui; changes on their way are waited for

everywhere form
* app.palette  colon,ctrl+p  commands  app.command_palette  Find a command, or any record or project by name
* app.help  question_mark,f1  .  app.help  Help: the keys and words of this screen

everywhere
* app.back  escape  .  .  One step back: out of the search line, the search, the marks, the page
"""
"""Under a line of places a row for each command, its cells two spaces apart: what it is, keys, title, action
and help. `*` is shown first on the last line, `!` writes, `>` turns keys, `?` needs the server, as `!` does,
and with `~` no row of a list; `.` is the name after the dot."""


def _commands(rows: str) -> Iterator[Command]:
    places: tuple[Place, ...] = ()
    for line in filter(None, rows.splitlines()):
        if line[0].isalpha():
            places = cast("tuple[Place, ...]", tuple(line.split()))
            continue
        head, keys, title, action, help = line.split("  ")
        marks, id = head.split()
        name = id.partition(".")[2]
        yield Command(
            id,
            keys,
            name if title == "." else title,
            name if action == "." else action,
            help,
            places,
            shown="*" in marks,
            writes="!" in marks,
            turns_keys=">" in marks,
            needs_server="!" in marks or "?" in marks,
            needs_row="~" not in marks,
        )


COMMANDS: Final[tuple[Command, ...]] = tuple(_commands(_ROWS))


def commands_of(*places: Place) -> Iterable[Command]:
    """The commands that work in these places, in the order of the table."""
    return (command for command in COMMANDS if any(place in places for place in command.places))


def bindings_of(*places: Place, without: Container[str] = ()) -> list[BindingType]:
    """Textual's bindings for these places, but for some commands by id."""
    return [command.binding() for command in commands_of(*places) if command.id not in without]
