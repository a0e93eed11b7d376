// The release as an operator gets it: the same bytes from the same sources, unpacked by root into a folder that nobody may
// write to, and started by another account without a network.
import { execFile, spawn } from 'node:child_process'
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { makeRelease } from '../test/environment/release.ts'
import { temporaryFolder } from '../test/environment/temporary-folder.ts'
import { projectRoot } from './platform/process/project.ts'

const exec = promisify(execFile)
const nobody = 65_534

const canUnshare =
  process.platform === 'linux' && process.getuid?.() === 0
    ? await exec('unshare', ['-n', 'true']).then(
        () => true,
        () => false,
      )
    : false

test('a release starts from a read-only folder as another account without a network, and logs JSON alone', async (context) => {
  if (!canUnshare) return context.skip('only root on Linux can start it as another account without a network')
  const { file, hash } = await makeRelease()
  expect((await stat(file)).size).toBeLessThan(60e6)
  expect(await readFile(`${file}.sha256`, 'utf8')).toMatch(new RegExp(`^${hash}  tollgate-.*\\.tgz\n$`))
  expect((await makeRelease()).hash).toBe(hash)

  const folder = await temporaryFolder()
  await chmod(folder, 0o755)
  await exec('tar', ['-xzf', file, '-C', folder, '--no-same-owner', '--strip-components=1'])
  await exec('chmod', ['-R', 'a-w', folder])
  const home = join(folder, '../data')
  await mkdir(home)
  onTestFinished(() => exec('rm', ['-rf', home]).then(() => undefined))
  await chown(home, nobody, nobody)
  const environment = { PATH: process.env['PATH'], DATA_DIR: join(home, 'data'), HOME: '/nonexistent' }
  const asNobody = `setpriv --reuid ${nobody} --regid ${nobody} --clear-groups`
  const program = spawn(
    'unshare',
    ['-n', 'sh', '-c', `ip link set lo up; cd ${home}; exec ${asNobody} ${folder}/bin/tollgate start`],
    { env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  onTestFinished(() => void program.kill('SIGKILL'))
  let [stdout, stderr] = ['', '']
  program.stdout.on('data', (text: Buffer) => (stdout += text.toString()))
  program.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
  const exited = new Promise<number | null>((resolve) => program.once('exit', resolve))
  await expect.poll(() => stdout + stderr, { timeout: 60_000 }).toContain('Tollgate is ready')
  const inside = ['-n', '-t', String(program.pid), process.execPath, '-e']
  const ask = `fetch('http://127.0.0.1:8080/readyz').then(async (a) => console.log(a.status, await a.text()))`
  expect((await exec('nsenter', [...inside, ask])).stdout).toMatch(/^200 .*"status":"ready"/)
  const backup = `cd ${home}; exec ${asNobody} ${folder}/bin/tollgate backup ${home}/copy --data-dir ${home}/data`
  expect((await exec('sh', ['-c', backup], { env: environment })).stdout).toContain(
    'each compared with the hash',
  )
  program.kill('SIGTERM')
  expect([await exited, stderr]).toEqual([0, ''])
  for (const line of stdout.trim().split('\n')) expect(() => JSON.parse(line) as unknown, line).not.toThrow()

  // What a gateway starts in processes and threads of its own is there, too.
  for (const script of ['files/tables/child/workbook.mjs', 'files/formats/parquet-thread.mjs'])
    await exec(process.execPath, ['--check', join(folder, 'server/src', script)])
  const packages = `for (const name of ['@e965/xlsx', 'hyparquet-writer', 'pdfkit', 'fontkit', 'ssh2', '@node-rs/argon2']) await import(name)`
  await exec(process.execPath, ['--input-type=module', '-e', packages], { cwd: folder })

  const refused = await exec(join(folder, 'bin/tollgate'), ['no-such']).catch((error: object) => error)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no command no-such.') })
})

test('systemd understands the unit, and finds it closed', async (context) => {
  const analyze = (...args: string[]) => exec('systemd-analyze', args)
  if (!(await analyze('--version').catch(() => undefined)))
    return context.skip('systemd-analyze is not on this machine')
  const folder = await temporaryFolder()
  const unit = join(folder, 'tollgate.service')
  const text = await readFile(join(projectRoot, 'deploy/systemd/tollgate.service'), 'utf8')
  expect(text).toContain('KillMode=mixed')
  await writeFile(unit, text.replaceAll('/opt/tollgate', projectRoot))
  const { stdout, stderr } = await analyze('verify', '--man=no', unit)
  expect((stdout + stderr).split('\n').filter((line) => line.includes('tollgate.service'))).toEqual([])
  const exposure = (await analyze('security', '--offline=true', unit)).stdout
  expect(Number(/exposure level for tollgate\.service: ([\d.]+)/.exec(exposure)?.[1])).toBeLessThan(3)
})
