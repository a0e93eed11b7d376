import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/environment/temporary-folder.ts'
import { systemdNotices } from './systemd.ts'

/** A systemd-notify that writes down what it is told. */
async function pretendSystemd(): Promise<() => Promise<string[]>> {
  const folder = await temporaryFolder()
  const program = join(folder, 'systemd-notify')
  await writeFile(program, `#!/bin/sh\necho "$@" >> "${folder}/said"\n`)
  await chmod(program, 0o755)
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
  return async () => (await readFile(join(folder, 'said'), 'utf8').catch(() => '')).trim().split('\n')
}

test('systemd hears that we are ready, still live, and stop; after that no more', async () => {
  const said = await pretendSystemd()
  const notices = systemdNotices({ NOTIFY_SOCKET: '/run/s', WATCHDOG_USEC: '150000' }, () => undefined)
  await notices.ready('http://127.0.0.1:8080')
  await expect.poll(said).toContain('WATCHDOG=1')
  await notices.stopping()
  await sleep(200)
  const lines = await said()
  expect(lines[0]).toBe('--ready --status=Ready: http://127.0.0.1:8080')
  expect(lines.at(-1)).toBe('STOPPING=1 --status=Stopping')
})

test('without systemd nothing is called, and a failure is told once', async () => {
  const said = await pretendSystemd()
  await systemdNotices({}, () => undefined).ready('x')
  expect(await said()).toEqual([''])
  vi.stubEnv('PATH', '/nowhere')
  const faults: string[] = []
  const notices = systemdNotices({ NOTIFY_SOCKET: '/run/s' }, ({ message }) => faults.push(message))
  await notices.ready('x')
  await notices.stopping()
  expect(faults).toHaveLength(1)
})
