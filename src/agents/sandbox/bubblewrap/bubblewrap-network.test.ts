import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  BRIDGES,
  NOTHING,
  noBubblewrap,
  PLAIN_ENV,
  runShell,
  scratchFolder,
  startProcess,
} from '../../../../test/support/test-process.ts';
import type { Outside } from '../network/forward-proxy.ts';
import type { NetworkGrant } from '../sandbox.ts';
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts';

const scratch = scratchFolder();
const onX64 = { skip: process.arch !== 'x64' && 'the filter of one process alone is written for x64' };
const OPEN = '93.184.216.34';

/** Another network in the place of the open one: names, and a web server at every open address. */
const names: Record<string, readonly (readonly string[])[]> = {
  'api.example.com': [[OPEN]],
  'inside.example.com': [['10.0.0.1']],
  'half.example.com': [[OPEN, '127.0.0.1']],
  'rebinds.example.com': [[OPEN], ['127.0.0.1'], ['127.0.0.1']],
};
const asked: string[] = [];
const reached: string[] = [];
let web: Server;
let webPort = 0;
const outside: Outside = {
  resolve: async (name) => {
    asked.push(name);
    const answers = names[name];
    const answer = answers?.[Math.min(asked.filter((each) => each === name).length, answers.length) - 1];
    if (!answer) throw new Error('no such name');
    return answer;
  },
  connect: (address, port): Socket => {
    reached.push(`${address}:${port}`);
    return connect(address === OPEN ? webPort : port, '127.0.0.1');
  },
};

before(async () => {
  web = createHttpServer((request, response) => response.end(`${request.headers.host}${request.url}\n`));
  webPort = await listening(web);
});
after(() => void web.close());

async function listening(server: Pick<Server, 'listen' | 'address'>): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function network(level: NetworkGrant['level'], hosts: string[] = [], loopbackPorts: number[] = []): NetworkGrant {
  return { level, hosts, loopbackPorts };
}

/** The result of a connection: the code of the error, or the received text. */
function attempt(program: string): string {
  const tell = 'const tell = (word) => { console.log(word); process.exit(); }; setTimeout(tell, 1_500, "silence");';
  return `"${process.execPath}" -e '${tell} ${program}'`;
}

const tcp = (host: string, port: number) =>
  attempt(`require("net").connect(${port}, "${host}", () => tell("open")).on("error", (e) => tell(e.code));`);

for (const { name, skip, bridge } of BRIDGES) {
  describe(`a network over the bridge ${name}`, { skip: noBubblewrap || skip }, () => {
    const sandbox = new BubblewrapSandbox('/usr/bin/bwrap', { outside, bridge: bridge() });
    before(() => {
      asked.length = 0;
      reached.length = 0;
    });

    async function run(command: string, granted: NetworkGrant): Promise<string> {
      const { stdout, stderr } = await runShell(sandbox, command, { grant: { ...NOTHING, network: granted } });
      return stdout + stderr;
    }

    test('without a network there is none: no address, no name, no port of this machine, no abstract socket', async () => {
      const hidden = createServer((socket) => socket.end());
      await new Promise<void>((resolve) => hidden.listen('\0baton-test-abstract', resolve));
      for (const granted of [network('NONE'), network('NONE', ['api.example.com'], [webPort]), network('RESTRICTED')]) {
        assert.match(await run(tcp('127.0.0.1', webPort), granted), /ECONNREFUSED/);
        assert.match(await run(tcp(OPEN, 443), granted), /ENETUNREACH/);
        assert.match(
          await run(attempt('require("dns").lookup("example.com", (e) => tell(e?.code ?? "open"));'), granted),
          /EAI_AGAIN|ENOTFOUND/,
        );
        const datagram = `require("dgram").createSocket("udp4").send("x", 53, "${OPEN}", (e) => tell(e?.code ?? "sent"));`;
        assert.match(await run(attempt(datagram), granted), /ENETUNREACH/);
        const abstract =
          'require("net").connect("\\0baton-test-abstract", () => tell("open")).on("error", (e) => tell(e.code));';
        assert.match(await run(attempt(abstract), granted), /EAFNOSUPPORT|ECONNREFUSED|ENOENT/);
        assert.match(
          await run('ls /run/docker.sock /var/run/docker.sock /run/baton', granted),
          /No such file.*No such file/s,
        );
        assert.doesNotMatch(await run('env', granted), /proxy/i);
      }
      hidden.close();
    });

    test('the whole network is the one of this machine', async () => {
      assert.equal(await run(tcp('127.0.0.1', webPort), network('FULL')), 'open');
    });

    test('a restricted network reaches the names of the list and nobody else', async () => {
      const granted = network('RESTRICTED', ['api.example.com', '*.example.com:80', 'no-name.test']);
      const fetch = (url: string) => `curl -sS --max-time 5 ${url}`;
      assert.equal(await run(fetch('http://api.example.com/v1?x=1'), granted), 'api.example.com/v1?x=1');
      assert.deepEqual(reached.splice(0), [`${OPEN}:80`]);
      // The other side is no TLS server: that it is reached at all is what counts.
      await run(fetch('https://api.example.com/'), granted);
      assert.deepEqual(reached.splice(0), [`${OPEN}:443`]);
      for (const url of [
        'http://other.test/',
        'http://inside.example.com/',
        'http://half.example.com/',
        `http://${OPEN}/`,
        `http://127.0.0.1:${webPort}/`,
        `http://localhost:${webPort}/`,
        'http://169.254.169.254/latest/meta-data',
        'http://api.example.com:8080/',
        'http://[::1]:80/',
        'http://2130706433/',
      ]) {
        assert.match(await run(fetch(url), granted), /is not granted|Failed to connect|refused|403/, url);
        assert.match(
          await run(`curl -sS --max-time 5 --proxytunnel ${url}`, granted),
          /403|Failed to connect|refused/,
          url,
        );
      }
      assert.match(await run(fetch('http://no-name.test/'), granted), /no-name\.test\/ has no address here/);
      assert.match(await run('curl -sS --proxytunnel http://no-name.test/', granted), /502/);
      assert.deepEqual(reached.splice(0), []);
    });

    test('a name that leads elsewhere the second time is asked for once a connection, and not followed inside', async () => {
      const granted = network('RESTRICTED', ['rebinds.example.com']);
      const command = 'curl -sS http://rebinds.example.com/1; curl -sS http://rebinds.example.com/2';
      assert.match(
        await run(command, granted),
        /^rebinds.example.com\/1\nhttp:\/\/rebinds.example.com\/2 is not granted/,
      );
      assert.deepEqual(reached.splice(0), [`${OPEN}:80`]);
    });

    test('in a restricted network there is no way around the proxy', async () => {
      const granted = network('RESTRICTED', ['api.example.com']);
      assert.match(await run(tcp('127.0.0.1', webPort), granted), /ECONNREFUSED/);
      assert.match(await run(tcp(OPEN, 80), granted), /ENETUNREACH/);
      assert.match(
        await run("curl -sS --noproxy '*' --max-time 5 http://api.example.com/", granted),
        /Could not resolve/,
      );
      // A second process inside that relays is one more process inside.
      const relay = `require("net").createServer((s) => s.pipe(require("net").connect(3128)).pipe(s)).listen(9999, () => {
        const s = require("net").connect(9999); s.write("CONNECT other.test:443 HTTP/1.1\\r\\n\\r\\n"); s.on("data", (d) => tell(String(d))); });`;
      assert.match(await run(attempt(relay.replaceAll('\n', ' ')), granted), /403 Forbidden/);
    });

    test(
      "no unix socket of this machine is reached: by its path, through a link, bound since, or the proxy's own",
      onX64,
      async (t) => {
        const folder = mkdtempSync(join(scratch, 'sockets-'));
        const servers: ReturnType<typeof createServer>[] = [];
        t.after(() => servers.forEach((server) => void server.close()));
        const listen = async (path: string) => {
          const server = createServer((socket) => socket.on('error', () => {}).end('reached'));
          servers.push(server);
          await new Promise<void>((resolve) => server.listen(path, resolve));
        };
        const here = process.cwd();
        process.chdir(folder);
        await listen('relative.sock');
        process.chdir(here);
        await listen(join(scratch, `outside-${name}.sock`));
        symlinkSync(folder, join(scratch, `link-${name}`));
        await listen(join(scratch, `link-${name}`, 'through-link.sock'));
        const connect = (path: string) =>
          `await new Promise((resolve) => require("net").connect("${path}", () => resolve("open")).on("error", (e) => resolve(e.code)))`;
        const paths = ['relative.sock', './through-link.sock', `${folder}/late.sock`, '/run/baton/proxy.sock'];
        const pair = 'require("child_process").spawnSync("cat", { input: "pair", encoding: "utf8" }).stdout';
        const program = `console.log("ready"); while (!fs.existsSync("late")) await new Promise((resolve) => setTimeout(resolve, 5));
        console.log(${paths.map(connect).join(', ')}, ${pair}); process.exit();`;
        const argv = [process.execPath, '-e', `(async () => { ${program} })()`];
        for (const granted of [
          network('NONE'),
          network('RESTRICTED'),
          network('RESTRICTED', ['api.example.com'], [webPort]),
        ]) {
          const grant = { ...NOTHING, writePaths: [folder], network: granted };
          const told = await startProcess(sandbox, { argv, cwd: folder, grant });
          const ended = told.end();
          await told.until(/ready/);
          await listen(join(folder, 'late.sock'));
          writeFileSync(join(folder, 'late'), '');
          await ended;
          assert.equal(
            told.text(),
            'ready\nEAFNOSUPPORT EAFNOSUPPORT EAFNOSUPPORT EAFNOSUPPORT pair',
            told.text('stderr'),
          );
          servers.pop()?.close();
          rmSync(join(folder, 'late'));
        }
      },
    );

    test('a port of this machine is reached where it is listed, directly and through the proxy', async () => {
      const other = createHttpServer((_request, response) => response.end('other'));
      const otherPort = await listening(other);
      const granted = network('RESTRICTED', ['api.example.com'], [webPort]);
      const direct = `curl -sS --noproxy '*' http://127.0.0.1:${webPort}/direct`;
      assert.equal(await run(direct, granted), `127.0.0.1:${webPort}/direct`);
      assert.equal(await run(`curl -sS http://localhost:${webPort}/p`, granted), `localhost:${webPort}/p`);
      assert.match(await run(`curl -sS http://127.0.0.1:${otherPort}/`, granted), /is not granted/);
      assert.match(await run(`curl -sS --noproxy '*' http://127.0.0.1:${otherPort}/`, granted), /Failed to connect/);
      other.close();
    });

    test('where no host is listed there is no proxy, and a port that is listed is reached all the same', async () => {
      const granted = network('RESTRICTED', [], [webPort]);
      assert.equal(await run(`curl -sS http://127.0.0.1:${webPort}/direct`, granted), `127.0.0.1:${webPort}/direct`);
      assert.equal(await run('env | grep -i proxy; ls /run/baton', granted), `port-${webPort}.sock`);
    });

    test('Node goes through the proxy by itself, and what is long comes whole', async () => {
      const long = createHttpServer((_request, response) => response.end('x'.repeat(5_000_000)));
      const port = await listening(long);
      const program = `fetch("http://localhost:${port}/").then((r) => r.text()).then((t) => tell(t.length), (e) => tell(String(e)));`;
      assert.equal(await run(attempt(program), network('RESTRICTED', ['api.example.com'], [port])), '5000000');
      long.close();
    });

    test('an answer that breaks off breaks off inside too, directly and through the proxy', async () => {
      const cut = createHttpServer((_request, response) => response.write('half', () => response.destroy()));
      const port = await listening(cut);
      for (const hosts of [[], ['api.example.com']]) {
        const program = `fetch("http://localhost:${port}/").then((r) => r.text()).then(tell, (e) => tell("broken"));`;
        assert.equal(await run(attempt(program), network('RESTRICTED', hosts, [port])), 'broken');
      }
      cut.close();
    });

    test('a proxy in the environment of the process is not the one that is used', async () => {
      const grant = { ...NOTHING, network: network('RESTRICTED', ['api.example.com']) };
      const env = { ...PLAIN_ENV, http_proxy: 'http://10.0.0.1:8080' };
      const { stdout } = await runShell(sandbox, 'curl -sS http://api.example.com/', { grant, env });
      assert.equal(stdout, 'api.example.com/');
    });
  });
}
