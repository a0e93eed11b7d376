// A client with earnings, on a gateway with short billing cycles: the start of the tests of the money pages.
import { setTimeout as sleep } from 'node:timers/promises'
import type { User } from '@tollgate/contract/users/users.ts'
import type { TestGateway } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

/** A valid address that belongs to nobody. */
export const someAddress = 'TWesWkJVJUWdjoDcp8RMq2VRhLN5KVRhTJ'

/** For `test.use`: a gateway with billing cycles of 12 s, so that a bill is made while a test waits. */
export const shortCycles = { gatewayName: 'money', env: { BILLING_CYCLE_SECONDS: '12' } }

/** Waits for the next cycle when the current one is about to end, so that all messages fall into one cycle. */
async function awaitRoomInCycle(gateway: TestGateway): Promise<void> {
  const { open } = await gateway.api<{ open: { periodEnd: string | null } }>('GET', '/api/billing/summary')
  const leftMs = Date.parse(open.periodEnd ?? '') - Date.now()
  if (leftMs < 4_000) await sleep(Math.max(0, leftMs) + 1_500)
}

let lastNumber = 449_098_790_400

export interface Earner {
  readonly client: User
  /** Settles in the weekly bill at 0.05 USD per SMS. */
  readonly number: string
  /** Has its own price of 0.50 USD per SMS, so it settles by payout. */
  readonly ownPriced: string
}

/** A client with two numbers: three SMS to the first and two to the second. */
export async function makeEarner(gateway: TestGateway): Promise<Earner> {
  const client = await gateway.person('user')
  const [number, ownPriced] = [String((lastNumber += 1)), String((lastNumber += 1))]
  await gateway.api('POST', '/api/premium-numbers', { number, rate: '1.50' })
  await gateway.api('POST', '/api/number-inventory', { number: ownPriced, pricePerSms: '0.50' })
  for (const digits of [number, ownPriced]) {
    const [item] = await gateway.api<{ id: string }[]>('GET', `/api/number-inventory?search=${digits}`)
    await gateway.api('PUT', `/api/number-inventory/${item?.id}/assign`, { userId: client.id })
  }
  const { id } = await gateway.person('user', { smppAccess: true })
  const credentials = await gateway.api<Credentials>('GET', `/api/users/${id}/smpp-credentials`)
  const supplier = await bindSupplier(gateway.smppPort, credentials)
  await awaitRoomInCycle(gateway)
  for (const digits of [number, number, number, ownPriced, ownPriced]) await supplier.send(digits, 'VOTE 7')
  supplier.close()
  return { client, number, ownPriced }
}

/** Saves the client's USDT address, signed in as the client. */
export async function saveAddress(
  gateway: TestGateway,
  { client }: Earner,
  word: string,
  usdtAddress = someAddress,
): Promise<void> {
  const signedIn = await fetch(`${gateway.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: gateway.url },
    body: JSON.stringify({ username: client.username, password: word }),
  })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const saved = await fetch(`${gateway.url}/api/user/profile`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', origin: gateway.url, cookie },
    body: JSON.stringify({ fullName: 'Clara Client', usdtAddress }),
  })
  if (!saved.ok) throw new Error(`the address was not saved: ${await saved.text()}`)
}
