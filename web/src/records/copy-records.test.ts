import { expect, test, vi } from 'vitest'
import { recordAt } from '../testing/records.ts'
import { currentToast } from '../ui/toasts.ts'
import { copyRecords, toTabbedText } from './copy-records.ts'

test('rows are copied whole, one line each under the heads', () => {
  const [head, line, ...rest] = toTabbedText([recordAt(142)]).split('\n')
  expect(head?.split('\t')).toHaveLength(9)
  expect(line?.split('\t')).toEqual([
    '19/11/2026 | 14:31 Thu',
    '0900',
    '449098790142',
    '19/11/2026 | 14:31 Thu',
    'client2',
    '1.5',
    'supplier1',
    'No Report',
    'pending',
  ])
  expect(rest).toEqual([])
})

test('a name that reads as a formula is not run by the spreadsheet', () => {
  expect(toTabbedText([recordAt(1, { gateway: '=HYPERLINK("x")\n' })])).toContain('\t\'=HYPERLINK("x") \t')
})

test('Copy Selected says how many rows, in the words of the specification', async () => {
  const writeText = vi.fn().mockResolvedValue(undefined)
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  await copyRecords([recordAt(1), recordAt(2)])
  expect(writeText).toHaveBeenCalledOnce()
  expect(currentToast()).toMatchObject({ title: 'Copied to clipboard', text: '2 row(s) copied successfully' })
})

test('without a selection it says so and leaves the clipboard alone', async () => {
  const writeText = vi.fn()
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  await copyRecords([])
  expect(writeText).not.toHaveBeenCalled()
  expect(currentToast()).toMatchObject({
    tone: 'bad',
    title: 'No rows selected',
    text: 'Please select rows to copy',
  })
})
