// A small writer of PDF 1.4 (ISO 32000-1): A4 pages of text and lines in the fonts that every reader has.
import { deflateSync } from 'node:zlib'

/** A4 in points. */
export const pageWidth = 595
export const pageHeight = 842

const fonts = { regular: 'Helvetica', bold: 'Helvetica-Bold', mono: 'Courier' } as const
export type PdfFont = keyof typeof fonts

// Widths of the characters 32 to 126 in thousandths (Adobe Core 14 AFM): Helvetica, Helvetica-Bold, Courier.
const widths: Record<PdfFont, readonly number[]> = {
  regular: read(
    '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 ' +
      '584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 ' +
      '667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 ' +
      '556 500 722 500 500 500 334 260 334 584',
  ),
  bold: read(
    '278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333 584 ' +
      '584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 ' +
      '667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 ' +
      '611 556 778 556 556 500 389 280 389 584',
  ),
  mono: Array.from({ length: 95 }, () => 600),
}

function read(list: string): number[] {
  return list.split(' ').map(Number)
}

// The characters of Windows-1252 beyond Latin-1 that the console writes.
const windows: Readonly<Record<string, number>> = {
  '€': 0x80,
  '…': 0x85,
  '‘': 0x91,
  '’': 0x92,
  '•': 0x95,
  '–': 0x96,
  '—': 0x97,
}

function codeOf(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0
  return (code >= 32 && code < 127) || (code >= 160 && code < 256) ? code : windows[character]
}

/** '?'. */
const missing = 63

/** A text's characters as the fonts' codes; undefined for those they have not. */
function codesOf(text: string): (number | undefined)[] {
  return Array.from(text, codeOf)
}

/** Whether the standard fonts have every character; in a text that they have not, a missing one becomes '?'. */
export function canWrite(text: string): boolean {
  return codesOf(text).every((code) => code !== undefined)
}

/** How wide a text is, in points. */
export function widthOf(text: string, size: number, font: PdfFont = 'regular'): number {
  const thousandths = codesOf(text).reduce<number>(
    (sum, code = missing) => sum + (widths[font][code - 32] ?? (font === 'mono' ? 600 : 556)),
    0,
  )
  return (thousandths * size) / 1_000
}

export interface PdfText {
  readonly size?: number
  readonly font?: PdfFont
  /** 'right': `x` is where the text ends. */
  readonly align?: 'left' | 'right'
}

const point = (value: number): string => value.toFixed(2).replace(/\.?0+$/, '')

/** Pages that are drawn one after the other; positions in points from the top left corner. */
export class Pdf {
  readonly #pages: string[][] = []

  addPage(): void {
    this.#pages.push([])
  }

  get pageCount(): number {
    return this.#pages.length
  }

  /** Writes on the last page, or on the page of the given index. `y` is the line the letters stand on. */
  text(
    x: number,
    y: number,
    text: string,
    { size = 9, font = 'regular', align = 'left' }: PdfText = {},
    page = -1,
  ): void {
    const left = align === 'right' ? x - widthOf(text, size, font) : x
    const bytes = codesOf(text).map((code = missing) => code)
    const hex = Buffer.from(bytes).toString('hex')
    this.#draw(`BT /${font} ${size} Tf ${point(left)} ${point(pageHeight - y)} Td <${hex}> Tj ET`, page)
  }

  /** A horizontal line. */
  rule(x: number, y: number, width: number, thickness = 0.5): void {
    this.#draw(
      `${thickness} w ${point(x)} ${point(pageHeight - y)} m ${point(x + width)} ${point(pageHeight - y)} l S`,
    )
  }

  #draw(command: string, page = -1): void {
    const commands = this.#pages.at(page)
    if (commands === undefined) throw new Error('The PDF has no such page')
    commands.push(command)
  }

  /** The whole file. */
  toBuffer(title: string): Buffer {
    const fontNames = Object.keys(fonts) as PdfFont[]
    // Objects: 1 catalog, 2 page tree, 3 document information, then fonts, then a page and its content in turn.
    const firstPage = 4 + fontNames.length
    const pageIds = this.#pages.map((_, index) => firstPage + index * 2)
    const fontRefs = fontNames.map((name, index) => `/${name} ${4 + index} 0 R`).join(' ')
    const objects: Buffer[] = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Count ${pageIds.length} /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] >>`,
      `<< /Title <${Buffer.from(`\uFEFF${title}`, 'utf16le').swap16().toString('hex')}> /Producer (Tollgate) >>`,
      ...fontNames.map(
        (name) => `<< /Type /Font /Subtype /Type1 /BaseFont /${fonts[name]} /Encoding /WinAnsiEncoding >>`,
      ),
    ].map((text) => Buffer.from(text))
    for (const [index, commands] of this.#pages.entries()) {
      const content = deflateSync(commands.join('\n'))
      objects.push(
        Buffer.from(
          `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageWidth} ${pageHeight}] ` +
            `/Resources << /Font << ${fontRefs} >> >> /Contents ${firstPage + index * 2 + 1} 0 R >>`,
        ),
        Buffer.concat([
          Buffer.from(`<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`),
          content,
          Buffer.from('\nendstream'),
        ]),
      )
    }
    return assemble(objects)
  }
}

function assemble(objects: readonly Buffer[]): Buffer {
  const parts = [Buffer.from('%PDF-1.4\n%\xE2\xE3\xCF\xD3\n', 'latin1')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  for (const [index, object] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')])
    offsets.push(length)
    length += part.length
    parts.push(part)
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}` +
        `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 3 0 R >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}
