// The rows that `npm run conformance` runs against any SMSC, against our own gateway.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { conformanceRows, runConformance } from '@tollgate/smpp/conformance/run-rows.ts'
import { openGatewayBench, password } from '../../test/gateway.ts'

const bench = await openGatewayBench({
  settings: { pduReadMs: 3_000 },
})

// 28 and 32 are slow: the tests that docs/smpp-conformance.md names cover them on a clock of their own.
const notApplicable = [10, 23, 24, 27, 28, 32, 33, 36, 60, 61, 62, 65, 66, 67, 68]

test('our gateway passes every row that can be checked from outside, and no other counts as passed', async () => {
  const { systemId } = await bench.account({ maxConnections: 5 })
  const to = await bench.number()
  const target = { host: '127.0.0.1', port: bench.node.port, systemId, password, from: '4915112345678', to }
  const results = await runConformance(target)
  const withResult = (result: string) => results.filter((row) => row.result === result)
  expect(withResult('failed').map(({ number, detail }) => `${number}: ${detail}`)).toEqual([])
  expect(withResult('not applicable').map(({ number }) => number)).toEqual(notApplicable)
  expect(withResult('passed')).toHaveLength(68 - notApplicable.length)
})

test('a row fails against a gateway that does not do it', async () => {
  const { systemId } = await bench.account({ maxConnections: 1 })
  const target = {
    host: '127.0.0.1',
    port: bench.node.port,
    systemId,
    password,
    from: '4915112345678',
    to: '1',
  }
  const results = await runConformance(target, { only: [18, 37, 64] })
  expect(results.map(({ number, result }) => [number, result])).toEqual([
    [18, 'passed'],
    [37, 'failed'],
    [64, 'failed'],
  ])
  expect(results[1]?.detail).toBe('smallest: 0x0B instead of 0x00')
})

test('the rows are those of the document, and each has a check or a reason', () => {
  const page = readFileSync(
    join(resolve(import.meta.dirname, '../../..'), 'docs/smpp-conformance.md'),
    'utf8',
  )
  const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number))
  expect(conformanceRows.map(({ number }) => number)).toEqual(documented)
  expect(conformanceRows.filter(({ check, reason }) => check === undefined && (reason ?? '') === '')).toEqual(
    [],
  )
})
