// nghttp2: HTTP/2 framing and HPACK.
#pragma once
#include <nghttp2/nghttp2.h>
