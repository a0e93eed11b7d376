// The receiver of docs/webhooks.md, as it stands there, in a language that shares no code with us.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createHmac, randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestEndpoints } from '../../test/traffic/endpoints.ts'
import { freePort } from '../../test/environment/free-port.ts'
import { eventually } from '../../test/environment/eventually.ts'

const { callAs, sms, hurry, deliveries } = await openTestEndpoints()
const asClient = callAs({ userId: 1, username: 'client1', role: 'user' })
const own = '/api/user/endpoints'

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8')
const script = /```python\n([\s\S]+?)```/.exec(page)?.[1] ?? ''

/** Starts the documented program; without Python 3 the test fails, because nothing would be shown. */
async function startReceiver(secret: string, port: number): Promise<string[]> {
  const child = spawn('python3', ['-c', script, secret, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  await new Promise<void>((listening, reject) => {
    child.once('error', (cause) => reject(new Error('Python 3 is needed: install python3', { cause })))
    child.once('exit', (code) => reject(new Error(`the receiver ended with ${code}`)))
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('listening')) listening()
      else lines.push(line)
    })
  })
  return lines
}

test('the documented receiver takes what is genuine, once, and refuses everything else', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/hook`
  const made = await asClient('POST', own, { name: 'Python', endpoint: url })
  expect(made.status).toBe(201)
  const { id, apiKey } = made.body
  const lines = await startReceiver(apiKey, port)

  expect((await asClient('POST', `${own}/${id}/test`)).body).toMatchObject({
    success: true,
    responseStatus: 204,
  })
  await sms(undefined, 'grüße')
  await eventually(async () => expect(lines).toEqual(['endpoint.test ', 'record.created grüße']))

  // A renewed secret signs beside the one that the receiver knows.
  await asClient('POST', `${own}/${id}/rotate-secret`)
  expect((await asClient('POST', `${own}/${id}/test`)).body.success).toBe(true)
  await eventually(async () => expect(lines).toHaveLength(3))

  // Once more under its own id: taken, and not counted again.
  const first = async () =>
    (await deliveries(id)).find(({ type }: { type: string }) => type === 'record.created')
  await eventually(async () => expect(await first()).toMatchObject({ status: 'delivered' }))
  const { id: deliveryId } = await first()
  expect((await asClient('POST', `${own}/${id}/deliveries/${deliveryId}/replay`)).status).toBe(202)
  await hurry(id)
  await eventually(async () =>
    expect((await deliveries(id)).find((each: { id: string }) => each.id === deliveryId)).toMatchObject({
      status: 'delivered',
      attempts: 1,
    }),
  )
  expect(lines).toHaveLength(3)

  const body = '{"type":"record.created","timestamp":"2026-03-04T12:00:00.000Z","data":{"text":"forged"}}'
  const now = Math.floor(Date.now() / 1_000)
  const key = Buffer.from(apiKey.replace('whsec_', ''), 'base64')
  const post = async (by: Buffer, timestamp: number, sent = body, name = 'msg_forged') => {
    const signature = createHmac('sha256', by).update(`msg_forged.${timestamp}.${body}`).digest('base64')
    const headers = {
      'webhook-id': name,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    }
    return (await fetch(url, { method: 'POST', headers, body: sent })).status
  }
  expect(await post(randomBytes(32), now)).toBe(401)
  expect(await post(key, now - 3_600)).toBe(401)
  expect(await post(key, now, body.replace('forged', 'other'))).toBe(401)
  expect(await post(key, now, body, 'msg_other')).toBe(401)
  expect((await fetch(url, { method: 'POST', body })).status).toBe(401)
  expect(lines).toHaveLength(3)
  // The same key and the same words: so it was not refused for another reason.
  expect(await post(key, now)).toBe(204)
})
