// What the money pages' tests begin with: a gateway with short cycles, and a client whose numbers earned something.
import { setTimeout as sleep } from 'node:timers/promises'
import type { User } from '@tollgate/contract/users.ts'
import type { Gateway } from './harness.ts'
import { bindSupplier, type Credentials } from './supplier.ts'

/** Whose checksum is right; nobody is paid. */
export const someAddress = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'

/** For `test.use`: a gateway with billing cycles of 12 s, so that a bill comes while a test waits for it. */
export const shortCycles = { stage: 'money', env: { BILLING_CYCLE_SECONDS: '12' } }

/** Waits for the next cycle when this one ends too soon for all that is sent to fall into it. */
async function awaitRoomInCycle(gateway: Gateway): Promise<void> {
  const { open } = await gateway.api<{ open: { periodEnd: string | null } }>('GET', '/api/billing/summary')
  const leftMs = Date.parse(open.periodEnd ?? '') - Date.now()
  if (leftMs < 4_000) await sleep(Math.max(0, leftMs) + 1_500)
}

let lastNumber = 449_098_790_400

export interface Earner {
  readonly client: User
  /** In the weekly bill, 0.05 USD per SMS. */
  readonly number: string
  /** With a price of its own, 0.50 USD per SMS. */
  readonly ownPriced: string
}

/** A client with two numbers, and three and two SMS to them. */
export async function makeEarner(gateway: Gateway): Promise<Earner> {
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

/** Gives the client's address, as the client would. */
export async function saveAddress(gateway: Gateway, { client }: Earner, word: string): Promise<void> {
  const signedIn = await fetch(`${gateway.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: gateway.url },
    body: JSON.stringify({ username: client.username, password: word }),
  })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const saved = await fetch(`${gateway.url}/api/user/profile`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', origin: gateway.url, cookie },
    body: JSON.stringify({ fullName: 'Clara Client', usdtAddress: someAddress }),
  })
  if (!saved.ok) throw new Error(`the address was not saved: ${await saved.text()}`)
}
