import { expect, test } from 'vitest'
import { runCommand } from '../test/program.ts'
import { compare, messages } from './messages.ts'
import { writePage } from './page.ts'

test('a machine without the peers is told what to install, before anything starts', async () => {
  const { code, stderr, stdout } = await runCommand('peers', ['--only', 'net-smpp'], { PATH: '/nowhere' })
  expect(stderr).toBe('Net::SMPP IS MISSING. Install it: apt-get install libnet-smpp-perl\n')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  const unknown = await runCommand('peers', ['--only', 'nobody'], {})
  expect(unknown.code).toBe(2)
  expect(unknown.stderr).toMatch(/^There is no peer nobody\.\nUsage: npm run peers/)
})

test('a message with one field changed, and one that is missing, fail by name', () => {
  expect(compare(messages).filter(({ fault }) => fault !== '')).toEqual([])
  const [first, ...others] = messages
  const changed = [...others.slice(1), { ...others[0], coding: 3 } as (typeof messages)[number]]
  expect(compare(changed).filter(({ fault }) => fault !== '')).toEqual([
    { name: first?.name, fault: 'did not arrive' },
    { name: 'GSM text é € [ ]', fault: 'coding is 3, not 0' },
  ])
})

test('the page has a table for each direction and names what failed', () => {
  const exchanged = [
    { name: 'a | b', fault: '' },
    { name: 'c', fault: 'lost' },
  ]
  const directions = [{ title: 'x submits to us', exchanged }]
  const page = writePage([{ name: 'x', version: '1', quirks: ['Odd.'], directions }], ['y: none.'])
  expect(page).toContain('\n## x 1\n\n- Odd.\n\n### x submits to us\n')
  expect(page).toContain('| a \\| b | exact |\n| c | **failed**: lost |\n')
  expect(page).toContain('## Not driven\n\n- y: none.\n')
})
