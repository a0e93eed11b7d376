// The traces of a gateway, as a collector gets them; and a gateway without them, which loads nothing for it.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../test/environment/database.ts'
import { freePort } from '../test/environment/free-port.ts'
import {
  onTestDatabase,
  runCommand,
  signedIn,
  startProgram,
  temporaryFolder,
} from '../test/environment/program.ts'
import { benchPassword, makeClient, makeSupplier } from '../test/http/operator.ts'
import { attributeOf, startCollector, type CollectedSpan } from '../test/stand-ins/collector.ts'
import { openReceiver } from '../test/stand-ins/receiver.ts'

const admin = { username: 'admin', password: 'correct horse battery' }
const number = '449098790142'

/** A gateway on a database of its own, with a client that has a number and an endpoint; sends it one message. */
async function startBusiness(more: Record<string, string>) {
  const { address } = await openTestDatabase()
  const receiver = await openReceiver()
  const environment = {
    ...(await onTestDatabase(address.database, inject('postgresHost'), admin)),
    SMPP_PORT: String(await freePort()),
    ...more,
  }
  const program = await startProgram('main', environment)
  await program.ready
  const call = await signedIn(program, admin.username, admin.password)
  const clientId = await makeClient(call, 'client1')
  const supplier = await makeSupplier(call)
  const { id } = await call<{ id: string }>('POST', '/api/premium-numbers', { number, rate: '1.50' })
  await call('PUT', `/api/number-inventory/${id}/assign`, { userId: clientId })
  const client = await signedIn(program, 'client1', benchPassword)
  await client('POST', '/api/user/endpoints', { name: 'ERP', endpoint: receiver.url })
  const sent = await runCommand(
    'send',
    ['--port', environment.SMPP_PORT, '--from', '447700900318', '--to', number, '--text', 'ping'],
    { SMPP_SYSTEM_ID: supplier.systemId, SMPP_PASSWORD: supplier.password },
  )
  expect(sent.stderr).toBe('')
  await receiver.until(1)
  return { program, receiver }
}

test('a message, its webhook, a call and a job are in a trace; a collector that is gone is one line', async () => {
  const collector = await startCollector()
  onTestFinished(() => collector.stop())
  const { program, receiver } = await startBusiness({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'sms',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
  })
  const span = async (name: string): Promise<CollectedSpan> => {
    const find = () => collector.spans.find((each) => each.name === name)
    await expect.poll(find).toBeDefined()
    return find()!
  }
  const [message, batch, webhook] = [await span('message'), await span('store batch'), await span('webhook')]
  expect(collector.services).toEqual(new Set(['sms']))

  // Read, committed, answered, in this order; the batch is another trace.
  expect(message.parentSpanId ?? '').toBe('')
  expect(message.events.map(({ name }) => name)).toEqual(['committed'])
  const moments = [message.startTimeUnixNano, message.events[0]!.timeUnixNano, message.endTimeUnixNano].map(
    BigInt,
  )
  expect(moments).toEqual(moments.toSorted((one, other) => Number(one - other)))
  expect(message.links).toMatchObject([{ traceId: batch.traceId, spanId: batch.spanId }])
  expect([
    attributeOf(batch, 'tollgate.batch.messages'),
    attributeOf(batch, 'tollgate.batch.records'),
  ]).toEqual([1, 1])

  expect(webhook).toMatchObject({ traceId: message.traceId, parentSpanId: message.spanId })
  expect(receiver.received[0]!.headers['traceparent']).toBe(`00-${webhook.traceId}-${webhook.spanId}-01`)
  expect(attributeOf(webhook, 'http.response.status_code')).toBe(204)
  await expect.poll(() => collector.spans.some(({ name }) => name.startsWith('job '))).toBe(true)

  const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
  const traceparent = `00-${caller.traceId}-${caller.spanId}-01`
  const answer = await fetch(`${program.url}/api/user`, { headers: { traceparent } })
  await answer.text()
  const calls = () => collector.spans.filter(({ traceId }) => traceId === caller.traceId)
  await expect.poll(calls).toHaveLength(1)
  expect(calls()[0]).toMatchObject({ parentSpanId: caller.spanId })
  expect(attributeOf(calls()[0]!, 'tollgate.request.id')).toBe(answer.headers.get('x-request-id'))

  await collector.stop()
  const lines = () =>
    program
      .stdout()
      .split('\n')
      .filter((line) => line.includes('spans cannot be sent'))
  await expect.poll(lines).toHaveLength(1)
  // Jobs go on making spans, and each of their exports fails.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(lines()).toHaveLength(1)
  program.kill('SIGTERM')
  expect((await program.exited).code).toBe(0)
})

test('without an address nothing of OpenTelemetry is loaded, and a webhook names no trace', async () => {
  const coverage = await temporaryFolder()
  // Node.js notes there which scripts a process has loaded.
  const { program, receiver } = await startBusiness({ NODE_V8_COVERAGE: coverage })
  expect(receiver.received[0]!.headers['traceparent']).toBeUndefined()
  program.kill('SIGTERM')
  expect((await program.exited).code).toBe(0)
  const notes = await Promise.all(
    (await readdir(coverage)).map((file) => readFile(join(coverage, file), 'utf8')),
  )
  const loaded = notes.flatMap((note) =>
    (JSON.parse(note) as { result: { url: string }[] }).result.map(({ url }) => url),
  )
  expect(loaded.some((url) => url.endsWith('/main.js'))).toBe(true)
  expect(loaded.filter((url) => url.includes('opentelemetry'))).toEqual([])
})
