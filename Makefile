# What a newcomer, a maintainer and CI run; the work is done by scripts/. `make help` lists the targets.

SOURCES := Sources Tests Fuzz Package.swift

.DEFAULT_GOAL := help
.PHONY: help run build dist reproducible package-test test crash lint format bench soak chaos fuzz siege tsan asan clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build, then show the main job on loopback: no accounts, keys or network needed
	@dist/pushbox demo
	@scripts/next-step.sh

build: ## install what building needs, build the release binary dist/pushbox
	@scripts/toolchain.sh
	@scripts/packages.sh
	@scripts/build.sh

dist: build ## pack dist/pushbox: a tarball, and a Debian package
	@scripts/packages.sh dpkg-dev
	@scripts/dist.sh

reproducible: ## pack twice from clean clones and compare the bytes
	@scripts/reproducible.sh

# MAY_SKIP=1: a machine that cannot make a bare Debian (status 77) says so and is no failure.
package-test: dist ## as root: install, use, upgrade and purge the package in a bare Debian, by the README
	@scripts/packages.sh debootstrap curl openssl
	@swift build --product mockgateway
	@scripts/test-package.sh $(MIRROR) || { [ $$? -eq 77 ] && [ -n "$(MAY_SKIP)" ]; }

test: ## install what the tests need, build and run every test
	@scripts/toolchain.sh
	@scripts/packages.sh chromium chromium-driver curl nghttp2-server nginx-light openssl
	@swift test --disable-xctest

crash: ## kill a loaded server 300 times and look for lost or half-done registrations
	@scripts/toolchain.sh
	@scripts/packages.sh
	@PUSHBOX_CRASH_ROUNDS=300 swift test --disable-xctest --filter CrashTests

lint: ## check the format of every source
	@scripts/toolchain.sh
	@swift format lint --strict --parallel --recursive $(SOURCES)

format: ## format every source in place
	@scripts/toolchain.sh
	@swift format --in-place --parallel --recursive $(SOURCES)

bench: ## measure pushes per second on this machine
	@scripts/toolchain.sh
	@scripts/packages.sh nghttp2-client openssl python3 util-linux
	@scripts/build.sh mockgateway pushload
	@Benchmarks/run

soak: ## load with failing connections; SOAK_SECONDS=600 for the long run, SOAK_RATE=2000
	@scripts/toolchain.sh
	@scripts/packages.sh
	@swift build -c release --product pushbox
	@swift build -c release --product pushsoak
	@"$$(swift build -c release --show-bin-path)/pushsoak" $(or $(SOAK_SECONDS),30) $(or $(SOAK_RATE),2000)

chaos: ## ten minutes of pushes while everything goes wrong at random; CHAOS_SECONDS=600, CHAOS_SEED=
	@scripts/toolchain.sh
	@scripts/packages.sh
	@swift build -c release --product pushbox
	@swift build -c release --product pushchaos
	@"$$(swift build -c release --show-bin-path)/pushchaos" $(or $(CHAOS_SECONDS),600) $(CHAOS_SEED)

siege: ## push while 2,500 connections and a flood of wrong signatures weigh on the server
	@scripts/toolchain.sh
	@scripts/packages.sh
	@swift build -c release --product pushbox
	@swift build -c release --product pushsiege
	@"$$(swift build -c release --show-bin-path)/pushsiege" $(or $(SIEGE_SECONDS),20)

fuzz: ## feed every fuzz target random input, FUZZ_SECONDS=60 each
	@scripts/toolchain.sh
	@scripts/packages.sh
	@for target in $$(scripts/fuzz.sh); do scripts/fuzz.sh $$target $(or $(FUZZ_SECONDS),60) || exit; done

tsan: ## run every test under the thread sanitizer
	@scripts/toolchain.sh
	@scripts/packages.sh
	@scripts/sanitize.sh thread

asan: ## run every test under the address sanitizer
	@scripts/toolchain.sh
	@scripts/packages.sh
	@scripts/sanitize.sh address

clean: ## remove everything that was built
	@rm -rf .build .build-asan .build-fuzz .build-tsan dist
