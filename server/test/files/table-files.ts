// Files as people and attackers send them: archives whose directory may lie, and workbooks with any XML in them.
import { deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  readonly content: Buffer | string
  /** What the directory says instead of the truth. */
  readonly declaredBytes?: number
  /** 8 is deflated; any other is put in as it is. */
  readonly method?: number
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

/** What every workbook has beside its sheet. */
export const workbookFrame: readonly ZipEntry[] = [
  { name: '[Content_Types].xml', content: '<Types/>' },
  {
    name: 'xl/workbook.xml',
    content: `<workbook xmlns:r="${relations}"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  },
  {
    name: 'xl/_rels/workbook.xml.rels',
    content: `<Relationships><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relations}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
  },
]

/** A workbook of this sheet's rows and these shared texts, both as XML. `more` lies beside them. */
export function workbookOf(rows: string, shared = '', more: readonly ZipEntry[] = []): Buffer {
  return zip([
    ...workbookFrame,
    { name: 'xl/sharedStrings.xml', content: `<sst>${shared}</sst>` },
    { name: 'xl/worksheets/sheet1.xml', content: `<worksheet><sheetData>${rows}</sheetData></worksheet>` },
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
