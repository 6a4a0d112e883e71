// LMDB: the store's engine.
#pragma once
#include <lmdb.h>
