// The release on a bare Debian 13: by docs/install.md, and as the image. Commands, files and package names are read from the
// page, so that what it says is what is run. Left out is what needs systemd as the first process, or a certificate of a public
// authority.
import { execFile, type ChildProcess } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import {
  folderOnDisk,
  makeBareDebian,
  startMachine,
  type BareMachine,
} from '../test/environment/bare-debian.ts'
import { freePort } from '../test/environment/free-port.ts'
import { buildImage } from '../test/environment/image.ts'
import { benchPassword, makeSupplier, signInAsAdmin } from '../test/http/operator.ts'
import { makeRelease } from '../test/environment/release.ts'
import { projectRoot } from './platform/process/project.ts'

const page = await readFile(join(projectRoot, 'docs/install.md'), 'utf8')

/** The steps by their number, each with its code. */
const steps = new Map(
  page
    .split(/^\*\*(?=\d+\. )/m)
    .slice(1)
    .map((text) => [parseInt(text, 10), { text, code: /^```\n(.*?)^```$/ms.exec(text)?.[1] ?? '' }]),
)

function step(number: number): { readonly text: string; readonly code: string } {
  const found = steps.get(number)
  if (found === undefined) throw new Error(`docs/install.md has no step ${number}`)
  return found
}

const packages = [...page.matchAll(/apt-get install ([a-z0-9 -]+)/g)]
  .flatMap(([, names = '']) => names.split(' '))
  .filter((name) => !name.includes('certbot'))

const needsMore = /^(systemctl|apt-get|certbot) /

/** The lines of a step that can be run here. */
const commandsOf = (number: number): string[] =>
  step(number)
    .code.split('\n')
    .filter((line) => line !== '' && !needsMore.test(line))

/** The values of a key of a unit. */
const valuesOf = (unit: string, key: string): string[] =>
  [...unit.matchAll(new RegExp(`^${key}=-?(.*)$`, 'gm'))].map(([, value = '']) => value)

/** Starts the service as systemd would: its account, its settings, its credentials, and no other folder to write to. */
async function startService(machine: BareMachine, unit: string) {
  const [user = ''] = valuesOf(unit, 'User')
  const [file = ''] = valuesOf(unit, 'EnvironmentFile')
  const [name = '', folder = ''] = valuesOf(unit, 'LoadCredential')[0]?.split(':') ?? []
  const state = valuesOf(unit, 'StateDirectory').map((path) => `/var/lib/${path}`)
  const writable = [...state, ...valuesOf(unit, 'ReadWritePaths'), '/tmp'].join(' ')
  const credentials = '/run/credentials'
  const settings = (await readFile(join(machine.root, file), 'utf8')).trim().split('\n')
  const environment = [...valuesOf(unit, 'Environment'), ...settings, `CREDENTIALS_DIRECTORY=${credentials}`]
  return machine.start(`
    install -d -o ${user} -g ${user} -m 0700 ${state.join(' ')}
    install -d -o ${user} -m 0500 ${credentials}
    for each in ${folder}/*; do
      install -o ${user} -m 0400 "$each" ${credentials}/${name}_$(basename "$each")
    done
    exec unshare --mount sh -euc '
      for each in ${writable}; do mount --bind $each $each; done
      mount -o remount,bind,ro /
      umask ${valuesOf(unit, 'UMask')[0]}
      cd ${valuesOf(unit, 'WorkingDirectory')[0]}
      exec env -i PATH=/usr/bin:/bin ${environment.map((each) => `"${each}"`).join(' ')} \\
        setpriv --reuid=${user} --regid=${user} --init-groups --no-new-privs ${valuesOf(unit, 'ExecStart')[0]}'`)
}

// Before the tests: on a busy machine this takes longer than they do.
const [{ file }, debian] = await Promise.all([makeRelease(), makeBareDebian([...packages, 'systemd'])])

/** What a program writes, as far as it has. */
function outputOf({ stdout, stderr }: ChildProcess): () => string {
  let output = ''
  for (const stream of [stdout, stderr]) stream?.on('data', (text: Buffer) => (output += text.toString()))
  return () => output
}

test('the steps of the install page lead from a bare Debian to a gateway that answers over HTTPS and is backed up', async () => {
  const root = join(await folderOnDisk(), 'root')
  await promisify(execFile)('cp', ['-a', debian, root])
  const machine = await startMachine(root)
  const { run } = machine
  const name = basename(file, '.tgz')
  for (const each of [file, `${file}.sha256`])
    await writeFile(join(root, 'root', basename(each)), await readFile(each))
  const follow = (number: number, of = commandsOf(number)) =>
    run(of.join('\n').replaceAll('tollgate-1.0.0-linux-x64', name))
  /** Writes the file that a step names and shows. */
  const put = async (number: number) => {
    const { text, code } = step(number)
    const [, path = ''] = /in `(\/etc\/[^`]+)`/.exec(text) ?? []
    await writeFile(join(root, path), code)
  }

  for (const number of [2, 3, 4]) await follow(number)
  await put(5)
  // In place of certbot: a certificate of one's own where it would be, and the folder that it has for hooks.
  await run(`mkdir -p /etc/letsencrypt/live/gateway.example.com /etc/letsencrypt/renewal-hooks/deploy
    cd /etc/letsencrypt/live/gateway.example.com
    openssl req -x509 -newkey rsa:2048 -noenc -subj /CN=gateway.example.com -keyout privkey.pem -out fullchain.pem 2>&1`)
  await follow(6)
  await put(7)
  await run('nginx -t 2>&1')

  // The unit is copied before systemctl is called; what stands behind that asks the gateway.
  const [copy = '', ...questions] = commandsOf(9)
  await follow(9, [copy])
  expect(
    (await run('systemd-analyze verify --man=no /etc/systemd/system/tollgate.service 2>&1')).trim(),
  ).toBe('')
  const unit = await readFile(join(root, 'etc/systemd/system/tollgate.service'), 'utf8')
  const service = await startService(machine, unit)
  const output = outputOf(service)
  const exited = new Promise((resolve) => service.once('exit', resolve))
  await expect.poll(output).toContain('Tollgate is ready: https://gateway.example.com')
  expect(await follow(9, questions)).toMatch(/"status":"ready"/)

  await run('nginx')
  const atConsole = `curl --silent --show-error --insecure --resolve gateway.example.com:443:127.0.0.1`
  const signIn = `password=$(cat /etc/tollgate/credentials/ADMIN_PASSWORD)
    ${atConsole} --header 'Origin: https://gateway.example.com' \\
      --json '{"username":"admin","password":"'"$password"'"}' https://gateway.example.com/api/login`
  expect(await run(signIn)).toContain('"username":"admin"')

  const [, account = '', backup = ''] = /^(?:\S+ ){5}(\S+) (.*)$/m.exec(step(10).code) ?? []
  const asCron = `env -i PATH=/usr/bin:/bin HOME=/ setpriv --reuid=${account} --regid=${account} --init-groups ${backup}`
  expect(await run(asCron)).toContain('each compared with the hash')
  expect(await run('ls /var/backups/tollgate')).not.toBe('')

  // As systemd does it: to the gateway alone.
  await run('kill $(pidof node)')
  expect(await exited).toBe(0)
})

test('the image is built from the release, and runs on a read-only root as an account of its own', async () => {
  const { root, config } = await buildImage(debian, file)
  const { run, start } = await startMachine(root, 'ours')
  const [httpPort, smppPort] = [await freePort(), await freePort()]
  const [uid = '', gid = ''] = config.User.split(':')
  expect(Number(uid)).toBeGreaterThan(0)
  await run(
    `mkdir -p /run/secrets; mount -t tmpfs secrets /run/secrets; mount -t tmpfs tmp /tmp; chmod 1777 /tmp`,
  )
  const secrets = { SECRET_KEY: 'a key of this test alone', ADMIN_PASSWORD: benchPassword }
  for (const [name, value] of Object.entries(secrets))
    await run(`echo '${value}' > /run/secrets/${name}; chown ${uid} /run/secrets/${name}`)
  const environment = [
    ...config.Env,
    'ADMIN_USERNAME=bench-admin',
    `HTTP_PORT=${httpPort}`,
    `SMPP_PORT=${smppPort}`,
  ]
  const gateway = start(`
    mount --bind /var/lib/tollgate /var/lib/tollgate
    mount -o remount,bind,ro /
    cd ${config.WorkingDir}
    exec env -i ${environment.map((each) => `'${each}'`).join(' ')} \\
      setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs --bounding-set=-all \\
      ${[...config.Entrypoint, ...config.Cmd].join(' ')}`)
  const output = outputOf(gateway)
  await expect.poll(output).toContain('Tollgate is ready')
  const url = `http://127.0.0.1:${httpPort}`
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'ready' })

  const call = await signInAsAdmin(url)
  const number = '449098790142'
  await call('POST', '/api/premium-numbers', { number, rate: '1.50' })
  const { systemId, password } = await makeSupplier(call)
  const sent = await run(
    `SMPP_SYSTEM_ID='${systemId}' SMPP_PASSWORD='${password}' tollgate send --port ${smppPort} --from Shop --to ${number} --text ping`,
  )
  expect(sent).toContain('accepted (0x00)')
  // tini hands the signal on.
  await run('kill $(pidof tini)')
  await expect.poll(() => gateway.exitCode).toBe(0)
})
