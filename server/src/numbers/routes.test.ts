import { expect, test } from 'vitest'
import { openTestNumbers } from '../../test/traffic/numbers.ts'

const environment = await openTestNumbers()

test('hostile searches and filters get a list or a refusal, never an internal error', async () => {
  const admin = await environment.person('admin')
  const paths = [
    '/api/ranges',
    '/api/numbers',
    '/api/premium-numbers',
    '/api/premium-numbers/summary',
    '/api/number-inventory',
    '/api/number-requests/all',
    '/api/admin/users',
  ]
  const texts = ['%00', "'%20or%201=1--", '%25_%5C', '%ED%A0%80', '\\', '%F0%9F%92%A9', '"', '$1', '%0d%0a']
  for (const path of paths)
    for (const text of texts)
      for (const name of ['search', 'country', 'cursor', 'status']) {
        const answer = await admin.get(`${path}?${name}=${text}`)
        expect.soft([path, name, text, answer.status < 500]).toEqual([path, name, text, true])
      }
})
