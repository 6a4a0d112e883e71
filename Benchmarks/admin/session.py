"""A browser's session with the admin API, for measuring."""
import http.client
import json
import sys
import time

PASSWORD = "correct horse battery"
PASSWORD_HASH = "$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$xXt6EAFzAOlee5Hgl8R5+kLA6sDARjRcMGtm6fZJsa8"


class Session:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.fields = {"content-type": "application/json"}
        _, response, body = self.ask("POST", "login", {"password": PASSWORD})
        self.fields["cookie"] = response.getheader("set-cookie").split(";")[0]
        self.fields["x-csrf-token"] = json.loads(body)["csrf_token"]

    def ask(self, method, path, body=None):
        """Milliseconds, the response and its content."""
        start = time.perf_counter()
        self.connection.request(method, "/admin/api/" + path, json.dumps(body) if body else None, self.fields)
        response = self.connection.getresponse()
        content = response.read()
        if response.status != 200:
            sys.exit(f"{path}: {response.status} {content}")
        return (time.perf_counter() - start) * 1000, response, content
