// `npm run dev`, as a newcomer starts it.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../test/environment/free-port.ts'
import { startScript, temporaryFolder } from '../test/environment/program.ts'
import { projectRoot } from './platform/process/project.ts'

test('one signs in through the console with hot reload, and a signal ends both servers', async () => {
  const consolePort = String(await freePort())
  const origin = `http://127.0.0.1:${consolePort}`
  const dev = await startScript(join(projectRoot, 'tools/dev.mjs'), {
    CONSOLE_PORT: consolePort,
    DATA_DIR: await temporaryFolder(),
    LOG_LEVEL: 'info',
  })
  const signIn = async () => {
    const answer = await fetch(`${origin}/api/login`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'nobody', password: 'wrong-password' }),
    })
    return answer.status
  }
  // 401 is the answer of the gateway to a wrong password; 403 would be that to a foreign site.
  await dev.ready
  await expect.poll(() => signIn().catch(() => dev.stderr())).toBe(401)
  dev.kill('SIGTERM')
  expect((await dev.exited).code).toBe(0)
  await expect(fetch(dev.url)).rejects.toThrow()
})
