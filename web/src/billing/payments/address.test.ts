import { expect, test } from 'vitest'
import { addressProblem } from './address.ts'

const address = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

test("USDT's own contract and other real addresses have no fault", async () => {
  for (const good of [address, 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', 'TG3XXyExBkPp9nzdajDZsozEu4BkaSJozs'])
    expect(await addressProblem(good)).toBeUndefined()
})

test.each([
  ['0xdAC17F958D2ee523a2206206994597C13D831ec7', 'This is an Ethereum address'],
  ['1BoatSLRHtKNngkdXEeobR76b53LETtpyT', 'begins with T'],
  [`${address.slice(0, -1)}0`, 'has no "0"'],
  [`${address.slice(0, 20)} ${address.slice(21)}`, 'has no " "'],
  [address.slice(0, -1), 'has 34 characters; this has 33'],
  [`${address.slice(0, -1)}u`, 'The checksum does not match'],
  [address.replace('q8Z', 'qZ8'), 'The checksum does not match'],
  [`T${'z'.repeat(33)}`, 'The checksum does not match'],
])('%s is refused with a reason', async (text, reason) =>
  expect(await addressProblem(text)).toContain(reason),
)
