#!/usr/bin/env python3
"""The status page in a real browser: headless Chromium looks at a davit whose cluster is the sandbox.

  status_page_test.py --davit PROGRAM --plugins FOLDER... [--chromium PROGRAM] [--screenshots FOLDER]

What it shows: the page loads without an error of the script or the policy; a rollout and the swap of a plugin appear on it without
a reload; it fits its window in dark and in light, on a desk and on a phone; and without JavaScript it has the same content. The
screenshots are for people to look at. CI does not run it, because it needs Debian's package chromium.
"""
import argparse
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

from prometheus_test import Processes, await_that, expect, free_port, open_url

WINDOWS = {'desk': (1280, 900), 'phone': (390, 844)}
SECONDS_MAX = 60  # Until something is taken as never going to happen; the page renews itself every two seconds.
MESSAGE_END = b'\0'
DEPLOYMENT = {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'shown-in-a-browser', 'namespace': 'default'},
              'spec': {'replicas': 3, 'selector': {'matchLabels': {'app': 'web'}},
                       'template': {'metadata': {'labels': {'app': 'web'}},
                                    'spec': {'containers': [{'name': 'web', 'image': 'web:1'}]}}}}


class Browser:
    """One tab of Chromium, through the pipe of its DevTools protocol."""

    def __init__(self, program, scratch, processes):
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        # Chromium reads 3 and writes 4. Both may be in use by the pipes themselves, so they move out of the way first.
        script = f'exec {to_browser + 10}<&{to_browser} {from_browser + 20}>&{from_browser}; ' \
                 f'exec 3<&{to_browser + 10} 4>&{from_browser + 20}; exec "$@"'
        processes.start('chromium', [
            'bash', '-c', script, 'bash', program, '--headless=new', '--remote-debugging-pipe', '--no-sandbox', '--disable-gpu',
            '--disable-dev-shm-usage', '--no-first-run', f"--user-data-dir={scratch / 'profile'}", 'about:blank'],
            pass_fds=(to_browser, from_browser))
        os.close(to_browser)
        os.close(from_browser)
        os.set_blocking(self.input, False)
        self.buffer, self.last_id, self.session, self.errors = b'', 0, None, []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log'):
            self.call(f'{domain}.enable')

    def next_message(self):
        deadline = time.monotonic() + SECONDS_MAX
        while MESSAGE_END not in self.buffer:
            if time.monotonic() > deadline:
                sys.exit(f'FAILED: the browser does not respond in {SECONDS_MAX} seconds')
            try:
                piece = os.read(self.input, 1 << 16)
            except BlockingIOError:
                time.sleep(0.02)
                continue
            if not piece:
                sys.exit('FAILED: the browser has ended')
            self.buffer += piece
        message, self.buffer = self.buffer.split(MESSAGE_END, 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.last_id += 1
        message = {'id': self.last_id, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.output, json.dumps(message).encode() + MESSAGE_END)
        while (reply := self.next_message()).get('id') != self.last_id:
            self.note(reply)
        if 'error' in reply:
            sys.exit(f"FAILED: {method}: {reply['error']}")
        return reply['result']

    def note(self, event):
        """Keeps what the console would show in red."""
        details = event.get('params', {})
        if event.get('method') == 'Runtime.exceptionThrown':
            self.errors.append(json.dumps(details['exceptionDetails']))
        elif event.get('method') == 'Log.entryAdded' and details['entry']['level'] in ('error', 'warning'):
            self.errors.append(f"{details['entry']['text']} {details['entry'].get('url', '')}")

    def value(self, expression):
        return self.call('Runtime.evaluate', expression=expression, returnByValue=True)['result'].get('value')

    def text(self):
        return self.value('document.body ? document.body.innerText : ""') or ''

    def show(self, url, window, scheme):
        width, height = WINDOWS[window]
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=window == 'phone')
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        self.call('Page.navigate', url=url)

    def screenshot(self, file):
        data = self.call('Page.captureScreenshot', format='png', captureBeyondViewport=False)['data']
        file.write_bytes(base64.b64decode(data))


class Host:
    """The sandbox, and a davit that runs the controllers on it."""

    def __init__(self, davit, plugins, processes):
        self.davit, scratch = davit, processes.scratch
        self.kubeconfig, self.socket = scratch / 'kubeconfig', scratch / 'control.sock'
        self.api, port = free_port(), free_port()
        self.url = f'http://127.0.0.1:{port}/'
        processes.start('sandbox', [davit, 'sandbox', '--insecure', f'--port={self.api}', f'--kubeconfig={self.kubeconfig}',
                                    '--controllers=gc,namespace,events,accounts,nodes,scheduler'])
        await_that('the sandbox is ready', lambda: self.get(f'http://127.0.0.1:{self.api}/readyz'))
        await_that('it has written its kubeconfig', self.kubeconfig.exists)
        processes.start('davit', [davit, 'run', f'--kubeconfig={self.kubeconfig}', *(f'--plugin-dir={each}' for each in plugins), f'--port={port}',
                                  f'--control-socket={self.socket}', '--leader-elect=false', '--controllers=deployment,replicaset'])
        await_that('davit is ready', lambda: self.get(f'{self.url}readyz'))

    @staticmethod
    def get(url):
        with open_url(urllib.request.Request(url)) as reply:
            return reply.read().decode()

    def deploy(self):
        request = urllib.request.Request(f'http://127.0.0.1:{self.api}/apis/apps/v1/namespaces/default/deployments', method='POST')
        request.add_header('Content-Type', 'application/json')
        request.data = json.dumps(DEPLOYMENT).encode()
        open_url(request).close()

    def swap(self, plugin):
        command = [self.davit, 'ctl', 'swap', plugin, f'--control-socket={self.socket}']
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        expect(done.returncode == 0, f'davit ctl swaps {plugin}: {done.stdout.strip()}{done.stderr.strip()}')


def check_views(browser, url, screenshots):
    for window, (width, _) in WINDOWS.items():
        for scheme in ('light', 'dark'):
            browser.show(url, window, scheme)
            await_that(f'the page is there on a {window} in {scheme}', lambda: 'Recent writes' in browser.text())
            # Its background tells whether the scheme counts.
            red = browser.value('parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])')
            expect((red < 128) == (scheme == 'dark'), f'it is {scheme}')
            wide = browser.value('document.documentElement.scrollWidth')
            expect(wide <= width, f'it is not wider than its window: {wide} of {width} pixels')
            if screenshots:
                browser.screenshot(screenshots / f'{window}-{scheme}.png')


def check(args, processes):
    host = Host(args.davit, args.plugins, processes)
    browser = Browser(args.chromium, processes.scratch, processes)
    browser.show(host.url, 'desk', 'light')
    await_that('the page shows a controller that runs', lambda: 'deployment-controller' in browser.text())
    expect('none since the start' in browser.text(), 'it shows no swap before there is one')
    browser.value('window.isTheSamePage = true')
    host.deploy()
    await_that('the rollout appears', lambda: 'create replicasets default/shown-in-a-browser-' in browser.text()
               and 'create pods default/shown-in-a-browser-' in browser.text())
    host.swap('deployment')
    await_that('the swap appears', lambda: '1 → 2' in browser.text())
    expect(browser.value('window.isTheSamePage') is True, 'the page renewed itself without a reload')
    check_views(browser, host.url, args.screenshots)
    expect(not browser.errors, f'no error of a script, a request or the policy {browser.errors}')
    browser.call('Emulation.setScriptExecutionDisabled', value=True)
    browser.call('Page.navigate', url='about:blank')
    browser.show(host.url, 'desk', 'light')
    await_that('without JavaScript, the page has the rollout and the swap', lambda: '1 → 2' in browser.text()
               and 'create pods default/shown-in-a-browser-' in browser.text())


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--davit', type=pathlib.Path, required=True)
    parser.add_argument('--plugins', type=pathlib.Path, required=True, nargs='+')
    parser.add_argument('--chromium', default='/usr/bin/chromium')
    parser.add_argument('--screenshots', type=pathlib.Path)
    args = parser.parse_args()
    if args.screenshots:
        args.screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix='davit-page-', ignore_cleanup_errors=True) as scratch:
        processes = Processes(pathlib.Path(scratch))
        try:
            check(args, processes)
        except SystemExit:
            print(*processes.logs(), sep='\n')
            raise
        finally:
            processes.stop()


if __name__ == '__main__':
    main()
