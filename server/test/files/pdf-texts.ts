// Reads the texts back out of a PDF file of ours, by the table of characters that each embedded font has, as a viewer does
// when somebody copies the text.
import { inflateSync } from 'node:zlib'

export interface PdfPiece {
  readonly text: string
  /** From 0. */
  readonly page: number
  readonly x: number
  /** Above the page's foot. */
  readonly y: number
}

/** The pieces of text in the order of writing. Glyphs of a word from right to left come from left to right. */
export function piecesOf(file: Buffer): PdfPiece[] {
  const objects = new Map(
    [...file.toString('latin1').matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(
      ([, id = '', body = '']) => [id, body] as const,
    ),
  )
  const streamOf = (id: string) => {
    const packed = /\nstream\n([\s\S]*)\nendstream/.exec(objects.get(id) ?? '')?.[1] ?? ''
    return inflateSync(Buffer.from(packed, 'latin1')).toString('latin1')
  }
  const charactersOf = (fontId: string) => {
    const [, map = ''] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(fontId) ?? '') ?? []
    const characters = [...streamOf(map).matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[(.*?)\]/g)].flatMap(
      ([, first = '', list = '']) =>
        [...list.matchAll(/<([0-9a-f ]*)>/g)].map(
          ([, codes = ''], index) => [Number.parseInt(first, 16) + index, textOfCodes(codes)] as const,
        ),
    )
    return new Map(characters)
  }
  const pages = [...objects.values()].filter((body) => /\/Type \/Page\n/.test(body))
  return pages.flatMap((body, page) => {
    const [, contents = ''] = /\/Contents (\d+) 0 R/.exec(body) ?? []
    const [, resources = ''] = /\/Resources (\d+) 0 R/.exec(body) ?? []
    const fonts = new Map(
      [...(objects.get(resources) ?? '').matchAll(/\/(F\d+) (\d+) 0 R/g)].map(
        ([, name = '', id = '']) => [name, charactersOf(id)] as const,
      ),
    )
    const written =
      /BT\n1 0 0 1 (?<x>[\d.-]+) (?<y>[\d.-]+) Tm\n\/(?<font>F\d+) [\d.]+ Tf\n(?<glyphs>[\s\S]*?)\nET/g
    return [...streamOf(contents).matchAll(written)].map(({ groups = {} }) => {
      const { x, y, font = '', glyphs = '' } = groups
      const codes = [...glyphs.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
      const text = codes.map((code) => fonts.get(font)?.get(Number.parseInt(code, 16)) ?? '\uFFFD').join('')
      return { text, page, x: Number(x), y: Number(y) }
    })
  })
}

/** UTF-16 in hexadecimal. */
const textOfCodes = (codes: string): string =>
  (codes.replaceAll(' ', '').match(/.{4}/g) ?? [])
    .map((code) => String.fromCharCode(Number.parseInt(code, 16)))
    .join('')

/** The texts of a file: what stands at one height is one line, from left to right. */
export function linesOf(file: Buffer): string[] {
  const lines: { page: number; y: number; pieces: { x: number; text: string }[] }[] = []
  for (const { text, page, x, y } of piecesOf(file)) {
    const line = lines.find((other) => other.page === page && Math.abs(other.y - y) < 0.5)
    if (line === undefined) lines.push({ page, y, pieces: [{ x, text }] })
    else line.pieces.push({ x, text })
  }
  return lines.map(({ pieces }) =>
    pieces
      .toSorted((a, b) => a.x - b.x)
      .map(({ text }) => text)
      .join(' '),
  )
}
