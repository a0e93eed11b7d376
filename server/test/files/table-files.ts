// Files as people and attackers send them: archives whose directory may lie, and workbooks with any XML in them.
import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  readonly content: Buffer | string
  /** What the directory says instead of the truth. */
  readonly declaredBytes?: number
  /** 8 is deflated; any other is put in as it is. */
  readonly method?: number
}

/** The same archive as programs write it that use ZIP64 for everything. */
export function toZip64(archive: Buffer): Buffer {
  const endAt = archive.length - 22
  const count = archive.readUInt16LE(endAt + 10)
  const directoryAt = archive.readUInt32LE(endAt + 16)
  const directory: Buffer[] = []
  for (let at = directoryAt; at < endAt; at += 46 + archive.readUInt16LE(at + 28)) {
    const entry = Buffer.from(archive.subarray(at, at + 46 + archive.readUInt16LE(at + 28)))
    const extra = Buffer.alloc(28)
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(24, 2)
    for (const [nth, from] of [24, 20, 42].entries()) {
      extra.writeBigUInt64LE(BigInt(entry.readUInt32LE(from)), 4 + 8 * nth)
      entry.writeUInt32LE(0xffffffff, from)
    }
    entry.writeUInt16LE(extra.length, 30)
    directory.push(entry, extra)
  }
  const entries = Buffer.concat(directory)
  const end64 = Buffer.alloc(56)
  end64.writeUInt32LE(0x06064b50, 0)
  end64.writeBigUInt64LE(44n, 4)
  end64.writeBigUInt64LE(BigInt(count), 24)
  end64.writeBigUInt64LE(BigInt(count), 32)
  end64.writeBigUInt64LE(BigInt(entries.length), 40)
  end64.writeBigUInt64LE(BigInt(directoryAt), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(directoryAt + entries.length), 8)
  locator.writeUInt32LE(1, 16)
  const end = Buffer.from(archive.subarray(endAt))
  end.fill(0xff, 8, 20)
  return Buffer.concat([archive.subarray(0, directoryAt), entries, end64, locator, end])
}

/** A ZIP archive. `extraCount` entries more are announced than there are. */
export function zip(entries: readonly ZipEntry[], extraCount = 0): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, content: input, declaredBytes, method = 8 } of entries) {
    const content = Buffer.from(input as string)
    const packed = method === 8 ? deflateRawSync(content) : content
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(method, 8)
    local.writeUInt32LE(packed.length, 18)
    local.writeUInt32LE(declaredBytes ?? content.length, 22)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(method, 10)
    entry.writeUInt32LE(crc32(content), 16)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(declaredBytes ?? content.length, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(at, 42)
    parts.push(local, Buffer.from(name), packed)
    directory.push(entry, Buffer.from(name))
    at += 30 + name.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length + extraCount, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, ...directory, end])
}

const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** A sheet of a workbook; `rows` is XML. */
interface TestSheet {
  readonly rows: string
  readonly state?: 'hidden' | 'veryHidden'
  readonly isChart?: boolean
}

interface Frame {
  readonly sheets?: readonly TestSheet[]
  /** Where its list of sheets is. */
  readonly bookName?: string
  /** The format codes that cells choose by `s`, from 1 on. */
  readonly formats?: readonly string[]
}

/** What every workbook has beside its sheets and texts. */
export function workbookFrame({
  sheets = [{ rows: '' }],
  bookName = 'workbook.xml',
  formats = [],
}: Frame = {}): ZipEntry[] {
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}" ContentType="${types}.${type}+xml"/>`
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${relations}/${type}" Target="${target}"/>`
  const partOf = ({ isChart = false }: TestSheet, n: number) =>
    isChart ? `chartsheets/sheet${n + 1}.xml` : `worksheets/sheet${n + 1}.xml`
  const formatCodes = formats.map((code, n) => `<numFmt numFmtId="${164 + n}" formatCode="${code}"/>`)
  return [
    {
      name: '[Content_Types].xml',
      content: `<Types xmlns="${packages}/content-types">${override(bookName, 'sheet.main')}${override('sharedStrings.xml', 'sharedStrings')}${override('styles.xml', 'styles')}</Types>`,
    },
    {
      name: '_rels/.rels',
      content: `<Relationships xmlns="${packages}/relationships">${relation('rId1', 'officeDocument', `xl/${bookName}`)}</Relationships>`,
    },
    {
      name: `xl/${bookName}`,
      content: `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${sheets.map(({ state = 'visible' }, n) => `<sheet name="Sheet ${n}" sheetId="${n + 1}" state="${state}" r:id="rId${n + 1}"/>`).join('')}</sheets></workbook>`,
    },
    {
      name: `xl/_rels/${bookName}.rels`,
      content: `<Relationships xmlns="${packages}/relationships">${sheets.map((sheet, n) => relation(`rId${n + 1}`, sheet.isChart === true ? 'chartsheet' : 'worksheet', partOf(sheet, n))).join('')}${relation('rTexts', 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    },
    {
      name: 'xl/styles.xml',
      content: `<styleSheet xmlns="${main}"><numFmts>${formatCodes.join('')}</numFmts><cellXfs><xf numFmtId="0"/>${formats.map((_, n) => `<xf numFmtId="${164 + n}" applyNumberFormat="1"/>`).join('')}</cellXfs></styleSheet>`,
    },
    ...sheets.map((sheet, n) => ({
      name: `xl/${partOf(sheet, n)}`,
      content: sheet.isChart === true ? `<chartsheet xmlns="${main}"/>` : sheetOf(sheet.rows),
    })),
  ]
}

const sheetOf = (rows: string) => `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`

/** A workbook of this sheet's rows and these shared texts, both as XML. `more` lies beside them. */
export function workbookOf(
  rows: string,
  shared = '',
  more: readonly ZipEntry[] = [],
  frame: Frame = {},
): Buffer {
  return zip([
    ...workbookFrame({ sheets: [{ rows }], ...frame }),
    { name: 'xl/sharedStrings.xml', content: `<sst xmlns="${main}">${shared}</sst>` },
    ...more,
  ])
}

/** Text that does not pack well: an archive of it is no bomb by its ratio. */
export function noise(length: number): string {
  let state = 1
  return Array.from({ length: Math.ceil(length / 6) }, () => {
    state = (state * 48_271) % 2_147_483_647
    return state.toString(36).padStart(6, '0').slice(-6)
  })
    .join('')
    .slice(0, length)
}

/** One shared text of some megabytes that 24,000 cells show: 216 GB of text from a file of a few hundred kilobytes. */
export function sharedTextBomb(): Buffer {
  const cells = Array.from({ length: 24_000 }, (_, n) => `<row r="${n + 1}"><c t="s"><v>0</v></c></row>`)
  // As dense as the bound on the ratio lets through.
  const text = noise(500_000) + 'A'.repeat(8_500_000)
  return workbookOf(cells.join(''), `<si><t>${text}</t></si>`)
}

/** As many lines and cells as a workbook may have, each with a text of its own. */
export function fullWorkbook(): Buffer {
  const header = ['Number', 'Description', 'Rate', 'Status', 'Country', 'Country Code', 'A', 'B', 'C', 'D']
  const row = (n: number, texts: readonly string[]) =>
    `<row r="${n}">${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`
  const lines = Array.from({ length: 100_000 }, (_, n) =>
    row(n + 2, [String(449_098_000_000 + n), `Line ${n}`, 'dear', 'active', ...Array<string>(6).fill('x')]),
  )
  return workbookOf([row(1, header), ...lines].join(''))
}
