// Writes PDF files: A4 pages of text and lines. The DejaVu fonts are embedded, each with only the characters that the file
// uses. They have the letters of Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic, but not of Devanagari,
// Thai, Chinese, Japanese or Korean.
import { createRequire } from 'node:module'
import { buffer } from 'node:stream/consumers'
import type { Bidi } from 'bidi-js'
import type { Font } from 'fontkit'

/** A4 in points. */
export const pageWidth = 595
export const pageHeight = 842

const require = createRequire(import.meta.url)
const fontPaths = {
  regular: () => require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'),
  bold: () => require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'),
  mono: () => require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf'),
} as const
type PdfFont = keyof typeof fontPaths

export interface PdfText {
  /** In points; 9 by default. */
  readonly size?: number
  readonly font?: PdfFont
  /** 'right': the text ends at `x`. */
  readonly align?: 'left' | 'right'
}

/** Starts a file. The libraries are loaded by the first call, since they take 27 MB and few processes write a PDF. */
export async function openPdf(title: string): Promise<Pdf> {
  const [{ default: PdfDocument }, fontkit, { default: createBidi }] = await Promise.all([
    import('pdfkit'),
    import('fontkit'),
    import('bidi-js'),
  ])
  const document = new PdfDocument({
    size: [pageWidth, pageHeight],
    margin: 0,
    autoFirstPage: false,
    // Pages are kept until the end, so that texts can be added to earlier ones.
    bufferPages: true,
    font: fontPaths.regular(),
    info: { Title: title, Producer: 'Tollgate', Creator: 'Tollgate' },
  })
  return new Pdf(document, fontkit.openSync(fontPaths.regular()) as Font, createBidi())
}

/** Pages that are written one after the other. Positions are in points from the top left corner. */
export class Pdf {
  readonly #document: PDFKit.PDFDocument
  readonly #letters: Font
  readonly #bidi: Bidi
  #pageCount = 0

  constructor(document: PDFKit.PDFDocument, letters: Font, bidi: Bidi) {
    this.#document = document
    this.#letters = letters
    this.#bidi = bidi
  }

  get pageCount(): number {
    return this.#pageCount
  }

  addPage(): void {
    this.#document.addPage()
    this.#pageCount += 1
  }

  /** Whether the fonts have every character of the text. {@link Pdf.text} writes '?' for others. */
  canWrite(text: string): boolean {
    return Array.from(text).every((character) => this.#hasGlyph(character))
  }

  /** The width of a text in points. */
  widthOf(text: string, size = 9, font: PdfFont = 'regular'): number {
    return this.#document.font(fontPaths[font]()).fontSize(size).widthOfString(withoutControls(text))
  }

  /** Writes on the last page, or on the page with the given index. `y` is the baseline. */
  text(
    x: number,
    y: number,
    text: string,
    { size = 9, font = 'regular', align = 'left' }: PdfText = {},
    page = this.#pageCount - 1,
  ): void {
    this.#document.switchToPage(page)
    const pieces = visualPieces(
      this.#bidi,
      Array.from(text, (character) => this.#written(character)).join(''),
    )
    const widths = pieces.map((piece) => this.widthOf(piece, size, font))
    let left = align === 'right' ? widths.reduce((end, width) => end - width, x) : x
    for (const [index, piece] of pieces.entries()) {
      if (piece.trim() !== '')
        this.#document.text(piece, left, y, { lineBreak: false, baseline: 'alphabetic' })
      left += widths[index] ?? 0
    }
  }

  /** A horizontal line on the last page. */
  rule(x: number, y: number, width: number, thickness = 0.5): void {
    this.#document
      .lineWidth(thickness)
      .moveTo(x, y)
      .lineTo(x + width, y)
      .stroke()
  }

  /** Ends the file and returns it. */
  end(): Promise<Buffer> {
    this.#document.end()
    return buffer(this.#document)
  }

  #hasGlyph(character: string): boolean {
    return this.#letters.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)
  }

  #written(character: string): string {
    return this.#hasGlyph(character) || withoutControls(character) === '' ? character : '?'
  }
}

const withoutControls = (text: string): string => text.replace(/\p{Bidi_Control}/gu, '')

/**
 * A text that somebody typed, for use inside another text: its letters from right to left do not change the order of the
 * text around it. Invisible characters that change the order are left out, so that they cannot disguise anything.
 */
export function isolate(text: string): string {
  return `\u2068${withoutControls(text)}\u2069`
}

/**
 * The text in pieces from left to right, as the Unicode Bidirectional Algorithm places them. Text from right to left comes
 * word by word: the PDF library shapes each word and reverses its glyphs by the script of its letters, but it does not
 * reorder words, and leaves signs without a letter as they are.
 */
export function visualPieces(bidi: Bidi, text: string): string[] {
  const embedding = bidi.getEmbeddingLevels(text)
  const isRightToLeft = (index: number) => (embedding.levels[index] ?? 0) % 2 === 1
  const runs: number[][] = []
  for (const index of bidi.getReorderedIndices(text, embedding)) {
    const run = runs.at(-1)
    if (run !== undefined && isRightToLeft(run[0] ?? 0) === isRightToLeft(index)) run.push(index)
    else runs.push([index])
  }
  return runs.flatMap((run) => {
    const inOrder = run
      .toSorted((one, other) => one - other)
      .map((index) => withoutControls(text[index] ?? ''))
    if (!isRightToLeft(run[0] ?? 0)) return [inOrder.join('')]
    return inOrder
      .map((character) => bidi.getMirroredCharacter(character) ?? character)
      .join('')
      .split(/(\s+)/)
      .filter((piece) => piece !== '')
      .map((piece) => (/\p{L}/u.test(piece) ? piece : Array.from(piece).toReversed().join('')))
      .toReversed()
  })
}
