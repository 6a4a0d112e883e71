# What a newcomer, a maintainer and CI run; the work is done by scripts/. `make help` lists the targets.

SWIFT_BUILD_FLAGS ?=
SOURCES := Sources Tests Package.swift

.DEFAULT_GOAL := help
.PHONY: help run build test lint format bench tsan asan clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1@/p' $(MAKEFILE_LIST) | column -t -s @ 2>/dev/null || \
		sed -n 's/^\([a-z]*\):.*## /  make \1: /p' $(MAKEFILE_LIST)

run: build ## build, then show the main job on loopback: no accounts, keys or network needed
	@dist/pushbox demo
	@scripts/next-step.sh

build: ## install what building needs, build the release binary dist/pushbox
	@scripts/toolchain.sh
	@scripts/packages.sh
	@scripts/build.sh $(SWIFT_BUILD_FLAGS)

test: ## install what the tests need, build and run every test
	@scripts/toolchain.sh
	@scripts/packages.sh
	@swift test --disable-xctest $(SWIFT_BUILD_FLAGS)

lint: ## check the format of every source
	@scripts/toolchain.sh
	@swift format lint --strict --parallel --recursive $(SOURCES)

format: ## format every source in place
	@scripts/toolchain.sh
	@swift format --in-place --parallel --recursive $(SOURCES)

bench: build ## measure pushes per second on this machine
	@Benchmarks/run

tsan: ## run every test under the thread sanitizer
	@scripts/toolchain.sh
	@scripts/packages.sh
	@scripts/sanitize.sh thread

asan: ## run every test under the address sanitizer
	@scripts/toolchain.sh
	@scripts/packages.sh
	@scripts/sanitize.sh address

clean: ## remove everything that was built
	@rm -rf .build .build-asan .build-tsan dist
