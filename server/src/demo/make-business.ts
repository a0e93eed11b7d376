// Makes the demo's people, ranges, numbers, holders, rates and requests through the API, as its admin.
import type { InventoryItem } from '@tollgate/contract/inventory.ts'
import { toAddress } from '../rates/index.ts'
import { signIn, type Api } from './api.ts'
import { people, planNumbers, ranges, type PlannedNumber } from './plan.ts'

export interface Business {
  readonly userIds: ReadonlyMap<string, number>
  readonly numbers: readonly PlannedNumber[]
}

/** `heldFrom` is when the clients got their numbers. */
export async function makeBusiness(
  base: string,
  admin: Api,
  passwords: Readonly<Record<string, string>>,
  heldFrom: Date,
): Promise<Business> {
  const userIds = await makePeople(admin, passwords)
  for (const { rangeNumber, startNumber, endNumber, description, rate } of ranges) {
    await admin.call('POST', '/api/ranges', { rangeNumber, startNumber, endNumber, description, rate })
  }
  const numbers = planNumbers()
  await makeNumbers(admin, numbers)
  await assignNumbers(admin, numbers, userIds, heldFrom)
  // Spec §9's example of a custom rate.
  await admin.call('PUT', `/api/admin/users/${userIds.get('client2')}/sms-rate`, { customSmsRate: '0.03' })
  await askForNumbers(base, passwords)
  await giveAddresses(base, passwords)
  return { userIds, numbers }
}

async function makePeople(
  admin: Api,
  passwords: Readonly<Record<string, string>>,
): Promise<Map<string, number>> {
  const { id } = await admin.call<{ id: number }>('GET', '/api/user')
  const userIds = new Map([['admin', id]])
  for (const person of people) {
    if (person.username === 'admin') continue
    const made = await admin.call<{ id: number }>('POST', '/api/register', {
      ...person,
      email: `${person.username}@example.com`,
      password: passwords[person.username],
    })
    userIds.set(person.username, made.id)
  }
  return userIds
}

async function makeNumbers(admin: Api, numbers: readonly PlannedNumber[]): Promise<void> {
  const lines = numbers
    .filter(({ pricePerSms }) => pricePerSms === undefined)
    // Without its own rate a number has its range's tariff.
    .map(({ number, description, status, range }) => [
      number,
      description,
      '',
      status,
      range.country,
      range.countryCode,
    ])
  await admin.call('POST', '/api/premium-numbers/import', {
    data: [['Number', 'Description', 'Rate', 'Status', 'Country', 'Country Code'], ...lines]
      .map((cells) => cells.join(','))
      .join('\n'),
  })
  for (const { number, range, pricePerSms } of numbers) {
    if (pricePerSms === undefined) continue
    await admin.call('POST', '/api/number-inventory', {
      number,
      countryCode: range.countryCode,
      operator: 'Demo Telecom',
      pricePerSms,
    })
  }
}

async function assignNumbers(
  admin: Api,
  numbers: readonly PlannedNumber[],
  userIds: ReadonlyMap<string, number>,
  heldFrom: Date,
): Promise<void> {
  const stock = await admin.call<InventoryItem[]>('GET', '/api/number-inventory?limit=500')
  const idOf = new Map(stock.map(({ id, number }) => [number, id]))
  for (const { number, holder, status } of numbers) {
    // A suspended number cannot be assigned.
    if (holder === undefined || status !== 'active') continue
    await admin.call('PUT', `/api/number-inventory/${idOf.get(number)}/assign`, {
      userId: userIds.get(holder),
      from: heldFrom.toISOString(),
    })
  }
}

/** Payment addresses of two of the three clients, without known keys. The third has none yet. */
async function giveAddresses(base: string, passwords: Readonly<Record<string, string>>): Promise<void> {
  for (const [username, fullName, byte] of [
    ['client1', 'Clara One', 'c1'],
    ['client2', 'Cyrus Two', 'c2'],
  ] as const) {
    const client = await signIn(base, username, passwords[username] ?? '')
    await client.call('PUT', '/api/user/profile', { fullName, usdtAddress: toAddress(byte.repeat(20)) })
  }
}

async function askForNumbers(base: string, passwords: Readonly<Record<string, string>>): Promise<void> {
  const client = await signIn(base, 'client3', passwords['client3'] ?? '')
  await client.call('POST', '/api/number-requests', {
    requestedNumber: '',
    preferredCountry: 'Germany',
    countryCode: '+49',
    businessPurpose: 'Votes of a Saturday evening show',
    expectedVolume: '500-1000',
  })
  await client.call('POST', '/api/number-requests', {
    requestedNumber: '',
    preferredCountry: 'United Kingdom',
    countryCode: '+44',
    businessPurpose: 'Quiz of a local radio station',
    expectedVolume: '50-200',
  })
}
