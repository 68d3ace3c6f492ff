# Every target makes the virtual environment when it is missing. Python 3.11 and make are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUNNABLE := $(VENV)/.runnable
READY := $(VENV)/.ready
# One more than two processors: a tenth of the time a test waits for a process or a clock.
WORKERS ?= 3
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Where PYTHONDONTWRITEBYTECODE is set, every process of a run would compile the program and the tests anew.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest

.DEFAULT_GOAL := menu
.PHONY: menu setup demo serve test test-changed test-httpx2 test-pythons canary constraints check check-full format generate bench pictures check-agreement check-dry-runs check-matrix check-kills check-api check-install check-mutations check-writes check-watch check-modes check-node check-slice check-display check-rough check-sets check-openings prove clean check-types check-source

menu: ## show this menu
	@echo "flagtui: make TARGET"
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/  \1|\2/' | awk -F'|' '{ printf "%-20s%s\n", $$1, $$2 }'

setup: $(READY) ## make the virtual environment and install everything into it, test tools too

$(RUNNABLE): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "flagtui needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --constraint constraints.txt --editable .
	@touch $(RUNNABLE)

$(READY): $(RUNNABLE)
	$(INSTALL) --constraint constraints.txt --editable '.[dev]'
	@touch $(READY)

demo: $(RUNNABLE) ## open the app on its own embedded service: no account, no network
	@$(BIN)/flagtui demo

serve: $(RUNNABLE) ## run the embedded service on http://127.0.0.1:8010 with sample data
	@$(BIN)/flagtui serve --port 8010 --db flagtui-sample.db --key phx_local --sample

test: $(READY) ## run every test, of long tables of cases a part with everything in it once
	$(PYTEST) -n $(WORKERS) --dist worksteal -q -m "not source"
	@$(BIN)/python -m tests.changed --mark-green

test-changed: $(READY) ## run the tests that the changes since the last green commit can reach
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m tests.changed -n $(WORKERS) --dist worksteal -q

check-full: $(READY) ## run every test with every combination of its cases, on every kind of server
	FLAGTUI_FULL=1 FLAGTUI_ALL_MODES=1 $(PYTEST) -n $(WORKERS) --dist worksteal -q

test-httpx2: $(READY) ## run every test, and the types, on httpx2 in place of httpx
	MYPYPATH=tests/doubles/httpx2_types $(BIN)/mypy --cache-dir .mypy_cache/httpx2
	$(PYTEST) -p tests.doubles.on_httpx2 -n $(WORKERS) --dist worksteal -q

test-pythons: ## run every test on each Python from 3.11 to 3.14 that is here
	@for version in 3.11 3.12 3.13 3.14; do \
		command -v python$$version >/dev/null || { echo "python$$version is not here"; continue; }; \
		$(MAKE) test PYTHON=python$$version VENV=.venv-$$version || exit 1; \
	done

# Without constraints: what an install gets today that is not held to the versions that are known.
canary: BIN := .venv-canary/bin
canary: ## hold the newest Textual, and its pre-release, against the private parts that are used
	$(PYTHON) -m venv .venv-canary
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@for kind in '' --pre; do \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade $$kind textual; \
		$(BIN)/python -c 'import importlib.metadata as it; print("Textual", it.version("textual"))'; \
		$(BIN)/python -m pytest -q tests/app/test_textual_private_parts.py || failed=1; \
	done; exit $${failed:-0}

constraints: BIN := .venv-constraints/bin
constraints: ## write down the versions that an install of everything gets today
	$(PYTHON) -m venv --clear .venv-constraints
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -m pip freeze --exclude-editable > constraints.txt

check: $(READY) ## lint, format check, strict types, structure and words; the last three side by side
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	@$(MAKE) --no-print-directory --jobs 2 check-types check-source

check-types: $(READY)
	$(BIN)/mypy

check-source: $(READY)
	$(PYTEST) -q -m source tests/text/test_words.py tests/test_architecture.py tests/test_house.py \
		tests/test_dependencies.py tests/app/test_screens_in_the_source.py tests/journeys/test_new_kind.py

format: $(READY) ## put the code into shape
	$(BIN)/ruff check --fix src tests benchmarks
	$(BIN)/ruff format src tests benchmarks

generate: $(READY) ## write every file that is made from the code: index, help and completion of commands, tables in docs
	FLAGTUI_GOLDEN=write $(PYTEST) -q tests/cli/test_command_documents.py tests/cli/output/test_schemas.py \
		tests/test_documents.py tests/service/test_document.py tests/api/test_document.py

bench: $(READY) ## measure decoding, searching, loading, the service and the whole program; ratios within one run
	$(BIN)/python benchmarks/decoding.py
	$(BIN)/python benchmarks/finding.py
	$(BIN)/python benchmarks/look_alikes.py
	$(BIN)/python benchmarks/many_events.py
	$(BIN)/python benchmarks/paging.py
	$(BIN)/python benchmarks/service.py
	$(BIN)/python benchmarks/mirror.py
	$(BIN)/python benchmarks/command_line.py
	$(BIN)/python benchmarks/code_references.py
	$(BIN)/python benchmarks/whole_program.py

pictures: $(READY) ## take the pictures of the documents from the real program
	$(BIN)/python docs/pictures.py

check-agreement: $(READY) ## compare evaluation with the product's own client, at length
	FLAGTUI_AGREEMENT_ROUNDS=3000 $(PYTEST) -q tests/evaluate
	FLAGTUI_AGREEMENT_IDS=1000 $(PYTEST) -q tests/service/evaluation/test_official_sdk.py

check-dry-runs: $(READY) ## compare dry runs with real runs for 2,000 random commands on three kinds of server
	FLAGTUI_DRY_RUNS=$${FLAGTUI_DRY_RUNS:-2000} $(PYTEST) -n $(WORKERS) -q tests/cli/test_dry_run.py

check-matrix: $(READY) ## every command: contradictory and empty options, no terminal, lost output, signals
	FLAGTUI_FULL=1 $(PYTEST) -n $(WORKERS) --dist worksteal -q tests/cli/test_command_matrix.py \
		tests/cli/test_examples.py

check-kills: $(READY) ## kill the service two hundred times in a write storm and look for what is missing
	$(BIN)/python benchmarks/kills.py 200

check-api: $(READY) ## thousands of generated requests against the service's own OpenAPI document
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,check-api]'
	FLAGTUI_CASES=$${FLAGTUI_CASES:-40} $(PYTEST) -q tests/service/check_api.py tests/service/check_product_api.py

check-mutations: $(READY) ## make three hundred small faults in the source and count those that no test detects
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,check-mutations]'
	@mkdir -p .mutations
	COVERAGE_FILE=.mutations/coverage FLAGTUI_TIMES=.mutations/times \
		$(PYTEST) -p tests.prove.times --cov=flagtui --cov-branch --cov-context=test -n $(WORKERS) --dist worksteal -q
	$(BIN)/python -m tests.prove.mutation --coverage .mutations/coverage --times .mutations/times \
		--out .mutations/verdicts --workers $(WORKERS) $(if $(BEFORE),--as-caught-in $(BEFORE))

check-install: $(READY) ## wheel and sdist in an empty environment, with everything they need
	$(PYTEST) -q tests/check_install.py

check-modes: $(READY) ## tell every journey again on strict, older and unlicensed servers, and every story in a terminal
	FLAGTUI_ALL_MODES=1 $(PYTEST) -n $(WORKERS) --dist worksteal -q tests/journeys tests/terminal

check-node: $(READY) ## hold the official clients for Node and browsers against a mirror, and files of types against tsc; uses npm
	@mkdir -p .node-clients && cp tests/mirror/node/* .node-clients/
	npm install --prefix .node-clients --no-audit --no-fund --silent
	$(PYTEST) -q tests/mirror/check_node_clients.py tests/code/check_typescript.py

check-slice: $(READY) ## long tests, and a short part of what `make test` leaves out: terminals, hands, hostile records, two people
	FLAGTUI_LONG=1 $(PYTEST) -n $(WORKERS) --dist worksteal -q -m long
	FLAGTUI_ALL_MODES=1 FLAGTUI_OPERATIONS=30 FLAGTUI_RENDERS=2000 $(PYTEST) -n $(WORKERS) --dist worksteal -q -m "not story" \
		tests/terminal tests/prove/test_random_hands.py tests/prove/test_hostile_renders.py
	FLAGTUI_ROUNDS=300 $(PYTEST) -q tests/changes/test_random_writes.py -k every_change
	FLAGTUI_ROUNDS=60 $(PYTEST) -n $(WORKERS) -q tests/changes/test_two_people_served.py

check-display: $(READY) ## hold changed cells against whole frames: every journey at four widths, 20,000 random frames
	FLAGTUI_FRAMES=$${FLAGTUI_FRAMES:-20000} $(PYTEST) -n $(WORKERS) -q tests/app/terminal/test_two_displays.py
	FLAGTUI_DISPLAY_WIDTH=80 $(PYTEST) -n $(WORKERS) -q tests/app/shell/test_header.py
	for width in 132 110 80 60; do \
		FLAGTUI_DISPLAY_WIDTH=$$width $(PYTEST) -n $(WORKERS) --dist worksteal -q tests/journeys || exit 1; \
	done

check-writes: $(READY) ## thousands of lost answers, two people, stops and kills in the middle of a write, for every kind
	FLAGTUI_ROUNDS=$${FLAGTUI_ROUNDS:-100} $(PYTEST) -q tests/changes/test_random_writes.py -k whatever_link
	FLAGTUI_ROUNDS=$${FLAGTUI_ROUNDS:-1000} $(PYTEST) -q tests/changes/test_two_people_served.py tests/changes/test_killed_changes.py tests/changes/test_random_writes.py -k "not whatever_link"
	FLAGTUI_FULL=1 $(PYTEST) -q tests/cli/test_every_write.py

check-watch: $(READY) ## ten thousand changes on a service that is killed again and again: watch tells each once, in order
	FLAGTUI_CHANGES=$${FLAGTUI_CHANGES:-10000} $(PYTEST) -q tests/cli/test_watch.py

check-rough: $(READY) ## 100,000 hostile records drawn, 10,000 writes whose answers get lost, 1,000 requests at once
	FLAGTUI_RENDERS=$${FLAGTUI_RENDERS:-100000} $(PYTEST) -q tests/prove/test_hostile_renders.py
	FLAGTUI_ROUNDS=$${FLAGTUI_ROUNDS:-10000} $(PYTEST) -q tests/changes/test_random_writes.py -k every_change
	FLAGTUI_CROWD=$${FLAGTUI_CROWD:-1000} $(PYTEST) -q tests/service/test_rough_requests.py

check-sets: $(READY) ## 10,000 change sets with a second writer, 250 killed ones, 500 evaluated for 100 people before and after
	FLAGTUI_ROUNDS=$${FLAGTUI_ROUNDS:-10000} $(PYTEST) -q tests/changes/sets/test_random_sets.py -k second_writer
	FLAGTUI_ROUNDS=250 $(PYTEST) -q tests/changes/sets/test_random_sets.py -k killed_set
	FLAGTUI_ROUNDS=700 $(PYTEST) -q tests/changes/sets/test_random_sets.py -k predicted_values

prove: $(READY) ## let random hands loose on the program for an hour: nine servers, every size, seeds kept
	$(BIN)/python -m tests.prove.monkey --minutes $${FLAGTUI_MINUTES:-60} --seeds tests/prove/seeds.txt

check-openings: $(READY) ## open and leave records of every list on a slow server, and weigh the program
	$(BIN)/python -m tests.prove.monkey --server slow --openings --operations $${FLAGTUI_OPERATIONS:-20000} --round 20000

clean: ## remove the virtual environment and everything built
	rm -rf $(VENV) .venv-* dist build .mypy_cache .ruff_cache .pytest_cache
