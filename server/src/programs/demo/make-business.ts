// Makes the demo's people, ranges, numbers, holders and rates through the API, as its admin.
import type { InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import { toAddress } from '../../rates/index.ts'
import type { Api } from './api.ts'
import type { Past } from './open-past.ts'
import { people, planNumbers, ranges, type PlannedNumber } from './plan.ts'

export interface Business {
  readonly userIds: ReadonlyMap<string, number>
  readonly numbers: readonly PlannedNumber[]
}

/** `heldFrom` is when the clients got their numbers. */
export async function makeBusiness(past: Past, heldFrom: Date): Promise<Business> {
  const { chain, passwords } = past
  const admin = await past.as('admin')
  if (chain)
    await admin.call('PUT', '/api/admin/settings/treasury_addresses', { settingValue: chain.walletAddress })
  await admin.call('PUT', '/api/admin/settings/number_stock', { settingValue: 'take' })
  const userIds = await makePeople(admin, passwords)
  for (const { rangeNumber, startNumber, endNumber, description, rate } of ranges) {
    await admin.call('POST', '/api/ranges', { rangeNumber, startNumber, endNumber, description, rate })
  }
  const numbers = planNumbers()
  await makeNumbers(admin, numbers)
  await assignNumbers(admin, numbers, userIds, heldFrom)
  // Spec §9's example of a custom rate.
  await admin.call('PUT', `/api/admin/users/${userIds.get('client2')}/sms-rate`, { customSmsRate: '0.03' })
  await giveAddresses(past)
  return { userIds, numbers }
}

async function makePeople(
  admin: Api,
  passwords: Readonly<Record<string, string>>,
): Promise<Map<string, number>> {
  const { id } = await admin.call<{ id: number }>('GET', '/api/user')
  const made = await Promise.all(
    people
      .filter(({ username }) => username !== 'admin')
      .map(async (person): Promise<[string, number]> => {
        const { username } = person
        const email = `${username}@example.com`
        const body = { ...person, email, password: passwords[username] }
        return [username, (await admin.call<{ id: number }>('POST', '/api/register', body)).id]
      }),
  )
  return new Map([['admin', id], ...made])
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

/** Gives the test account two numbers of the stock, so that it sees masked ones. */
export async function giveTestNumbers(
  past: Past,
  { numbers, userIds }: Business,
  heldFrom: Date,
): Promise<void> {
  const isFree = ({ holder, pricePerSms }: PlannedNumber) => holder === undefined && pricePerSms === undefined
  const free = numbers.filter(isFree).slice(0, 2)
  const assigned = free.map((number) => ({ ...number, holder: 'test' }))
  await assignNumbers(await past.as('admin'), assigned, userIds, heldFrom)
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

/** Payment addresses of three of the four clients, without known keys. The fourth has none yet. */
async function giveAddresses(past: Past): Promise<void> {
  const profiles = [
    ['client1', 'Clara One', 'c1'],
    ['client2', 'Cyrus Two', 'c2'],
    ['client3', 'Chloe Three', 'c3'],
  ] as const
  await Promise.all(
    profiles.map(async ([username, fullName, byte]) => {
      const client = await past.as(username)
      await client.call('PUT', '/api/user/profile', { fullName, usdtAddress: toAddress(byte.repeat(20)) })
    }),
  )
}
