import { expect, onTestFinished, test } from 'vitest'
import { setCatalogue } from '../language/t.ts'
import { importBody, readImportFile } from './import-file.ts'

test('a text file is read as text, whatever its name says', async () => {
  const csv = await readImportFile(new File(['Number\n1'], 'a.csv'))
  expect(csv).toEqual({ kind: 'text', text: 'Number\n1', name: 'a.csv' })
  expect((await readImportFile(new File(['Number\n1'], 'template.xlsx'))).kind).toBe('text')
  expect(importBody(csv)).toEqual({ data: 'Number\n1', fileName: 'a.csv' })
  expect(importBody({ ...csv, name: '' } as typeof csv)).toEqual({ data: 'Number\n1' })
})

test.each([
  ['a.xlsx', [0x50, 0x4b, 3, 4]],
  ['a.xls', [0xd0, 0xcf, 0x11, 0xe0]],
])('the workbook %s is sent as the file it is', async (name, bytes) => {
  const source = await readImportFile(new File([new Uint8Array(bytes)], name))
  expect(source.kind).toBe('file')
  const body: unknown = importBody(source)
  expect(body).toBeInstanceOf(FormData)
  expect((body as FormData).get('file')).toBeInstanceOf(File)
})

test('a long text file is sent as a file, since a text area cannot hold it well', async () => {
  expect((await readImportFile(new File(['x'.repeat(600_000)], 'a.csv'))).kind).toBe('file')
})

test.each([
  ['numbers.pdf', 'x', 'is not a .csv, .xlsx or .xls file'],
  ['numbers.csv', '', 'is empty'],
  ['numbers.csv', 'x'.repeat(5 * 1024 * 1024 + 1), 'larger than 5 MB'],
])('%s is refused with a reason', async (name, text, reason) => {
  await expect(readImportFile(new File([text], name))).rejects.toThrow(reason)
})

test('the reason is in the language of the reader', async () => {
  setCatalogue({ '{name} is empty. Choose a file with a header and lines.': 'הקובץ {name} ריק.' })
  onTestFinished(() => setCatalogue({}))
  await expect(readImportFile(new File([], 'a.csv'))).rejects.toThrow('הקובץ a.csv ריק.')
})
