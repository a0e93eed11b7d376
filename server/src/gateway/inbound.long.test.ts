import { test } from 'vitest'
import { openInboundEnvironment, offerUntil } from './testing/inbound-environment.ts'

const { environment, node } = await openInboundEnvironment()

test('nodes share the throughput of an account, and a single node has all of it', async () => {
  const digits = await environment.number()
  const limited = await environment.account({ throughput: 40 })
  const other = await environment.anotherNode()
  const [here, there] = [await node.bound(limited), await other.bound(limited)]
  // Until each node knows the other's traffic, both use the full rate.
  await offerUntil([here, there], digits, { above: 35, below: 47 })
  // And until it knows that the other's has ended, half of it.
  await offerUntil([here], digits, { above: 35, below: 47 })
  here.destroy()
  there.destroy()
})
