// QR codes after ISO/IEC 18004: byte mode, error correction level M, versions 1 to 6 (up to 106 bytes).
// An address has 34 characters; what does not fit is refused rather than cut.

interface Version {
  readonly ecPerBlock: number
  readonly blocks: number
  readonly dataPerBlock: number
  /** The one alignment pattern's centre, besides those at the edges; 0 for version 1. */
  readonly alignment: number
}

// ISO/IEC 18004 table 9, level M.
const versions: readonly Version[] = [
  { ecPerBlock: 10, blocks: 1, dataPerBlock: 16, alignment: 0 },
  { ecPerBlock: 16, blocks: 1, dataPerBlock: 28, alignment: 18 },
  { ecPerBlock: 26, blocks: 1, dataPerBlock: 44, alignment: 22 },
  { ecPerBlock: 18, blocks: 2, dataPerBlock: 32, alignment: 26 },
  { ecPerBlock: 24, blocks: 2, dataPerBlock: 43, alignment: 30 },
  { ecPerBlock: 16, blocks: 4, dataPerBlock: 27, alignment: 34 },
]

// GF(256) with the polynomial x^8 + x^4 + x^3 + x^2 + 1.
const exponents = new Uint8Array(512)
const logarithms = new Uint8Array(256)
for (let power = 0, value = 1; power < 255; power += 1) {
  exponents[power] = value
  exponents[power + 255] = value
  logarithms[value] = power
  value = value & 0x80 ? (value << 1) ^ 0x11d : value << 1
}

function multiply(a: number, b: number): number {
  if (a === 0 || b === 0) return 0
  return exponents[(logarithms[a] ?? 0) + (logarithms[b] ?? 0)] ?? 0
}

/** Reed–Solomon check bytes of one block. */
function checkBytes(data: readonly number[], count: number): number[] {
  let generator = [1]
  for (let power = 0; power < count; power += 1) {
    const root = exponents[power] ?? 0
    const next = [...generator, 0]
    for (const [index, factor] of generator.entries())
      next[index + 1] = (next[index + 1] ?? 0) ^ multiply(factor, root)
    generator = next
  }
  const rest = Array.from({ length: count }, () => 0)
  for (const byte of data) {
    const lead = byte ^ (rest.shift() ?? 0)
    rest.push(0)
    for (let index = 0; index < count; index += 1)
      rest[index] = (rest[index] ?? 0) ^ multiply(generator[index + 1] ?? 0, lead)
  }
  return rest
}

/** Mode, length, bytes, terminator and padding, as data codewords. */
function dataCodewords(bytes: Uint8Array, capacity: number): number[] {
  // Byte mode (0100), then an 8-bit length: the nibbles of every byte shift by four.
  const nibbles = [
    4,
    bytes.length >> 4,
    bytes.length & 15,
    ...[...bytes].flatMap((byte) => [byte >> 4, byte & 15]),
    0,
  ]
  const words: number[] = []
  for (let index = 0; index < nibbles.length; index += 2)
    words.push(((nibbles[index] ?? 0) << 4) | (nibbles[index + 1] ?? 0))
  for (let pad = 0xec; words.length < capacity; pad ^= 0xec ^ 0x11) words.push(pad)
  return words
}

function interleave(blocks: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...blocks.map((block) => block.length))
  return Array.from({ length: longest }, (_, index) =>
    blocks.flatMap((block) => (index < block.length ? [block[index] ?? 0] : [])),
  ).flat()
}

type Grid = (boolean | undefined)[][]

function drawSquare(
  grid: Grid,
  row: number,
  column: number,
  radius: number,
  isDark: (ring: number) => boolean,
): void {
  for (let dr = -radius; dr <= radius; dr += 1)
    for (let dc = -radius; dc <= radius; dc += 1) {
      const line = grid[row + dr]
      if (line && column + dc >= 0 && column + dc < line.length)
        line[column + dc] = isDark(Math.max(Math.abs(dr), Math.abs(dc)))
    }
}

/** Finder, alignment and timing patterns; what stays undefined is for data. */
function emptyGrid(size: number, alignment: number): Grid {
  const grid: Grid = Array.from({ length: size }, () => Array.from({ length: size }, () => undefined))
  for (let index = 0; index < size; index += 1) {
    const isDark = index % 2 === 0
    ;(grid[6] ?? [])[index] = isDark
    ;(grid[index] ?? [])[6] = isDark
  }
  const finder = (ring: number) => ring !== 2 && ring !== 4
  drawSquare(grid, 3, 3, 4, finder)
  drawSquare(grid, 3, size - 4, 4, finder)
  drawSquare(grid, size - 4, 3, 4, finder)
  if (alignment > 0) drawSquare(grid, alignment, alignment, 2, (ring) => ring !== 1)
  return grid
}

/** The cells of the format's 15 bits, in both copies. */
function formatCells(size: number): readonly (readonly [number, number])[][] {
  return Array.from({ length: 15 }, (_, bit): [number, number][] => {
    const first: [number, number] =
      bit < 6 ? [bit, 8] : bit < 8 ? [bit + 1, 8] : bit === 8 ? [8, 7] : [8, 14 - bit]
    return [first, bit < 8 ? [8, size - 1 - bit] : [size - 15 + bit, 8]]
  })
}

function drawFormat(grid: Grid, mask: number): void {
  // Level M is 00; a BCH(15,5) code guards level and mask.
  let rest = mask
  for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537)
  const bits = ((mask << 10) | rest) ^ 0x5412
  for (const [bit, cells] of formatCells(grid.length).entries())
    for (const [row, column] of cells) (grid[row] ?? [])[column] = ((bits >> bit) & 1) === 1
  ;(grid[grid.length - 8] ?? [])[8] = true
}

const masks: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]

/** Two columns at a time from the right, up and down in turn, past the upright timing pattern. */
function* dataCells(grid: Grid): Generator<[number, number]> {
  const size = grid.length
  let isUp = true
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right -= 1
    for (let step = 0; step < size; step += 1) {
      const row = isUp ? size - 1 - step : step
      for (const column of [right, right - 1]) if (grid[row]?.[column] === undefined) yield [row, column]
    }
    isUp = !isUp
  }
}

function fill(pattern: Grid, words: readonly number[], mask: number): boolean[][] {
  const grid = pattern.map((line) => [...line])
  const isInverted = masks[mask] ?? (() => false)
  let bit = 0
  for (const [row, column] of dataCells(pattern)) {
    const isDark = (((words[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1
    ;(grid[row] ?? [])[column] = isDark !== isInverted(row, column)
    bit += 1
  }
  drawFormat(grid, mask)
  return grid.map((line) => line.map((cell) => cell === true))
}

function linePenalty(line: readonly boolean[]): number {
  let penalty = 0
  let run = 0
  for (const [index, cell] of line.entries()) {
    run = index > 0 && line[index - 1] === cell ? run + 1 : 1
    if (run === 5) penalty += 3
    else if (run > 5) penalty += 1
  }
  const text = line.map(Number).join('')
  return penalty + 40 * (text.split('10111010000').length - 1 + (text.split('00001011101').length - 1))
}

/** ISO/IEC 18004 §7.8.3: long runs, 2 × 2 blocks, finder look-alikes, and too much of one colour. */
function penaltyOf(grid: readonly (readonly boolean[])[]): number {
  const turned = grid.map((_, column) => grid.map((line) => line[column] === true))
  let penalty = [...grid, ...turned].reduce((sum, line) => sum + linePenalty(line), 0)
  let dark = 0
  for (const [row, line] of grid.entries())
    for (const [column, cell] of line.entries()) {
      if (cell) dark += 1
      const isBlock =
        row > 0 &&
        column > 0 &&
        [line[column - 1], grid[row - 1]?.[column], grid[row - 1]?.[column - 1]].every(
          (near) => near === cell,
        )
      if (isBlock) penalty += 3
    }
  const share = (dark * 100) / (grid.length * grid.length)
  penalty += 10 * Math.floor(Math.abs(share - 50) / 5)
  return penalty
}

/** The modules of the QR code of `text` (true is dark), without quiet zone. Raises an error above 106 bytes. */
export function encodeQr(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text)
  const index = versions.findIndex(({ blocks, dataPerBlock }) => bytes.length + 2 <= blocks * dataPerBlock)
  const version = versions[index]
  if (!version) throw new Error(`${bytes.length} bytes do not fit into the QR code; at most 106 do`)
  const { blocks, dataPerBlock, ecPerBlock, alignment } = version
  const data = dataCodewords(bytes, blocks * dataPerBlock)
  const parts = Array.from({ length: blocks }, (_, part) =>
    data.slice(part * dataPerBlock, (part + 1) * dataPerBlock),
  )
  const words = [...interleave(parts), ...interleave(parts.map((part) => checkBytes(part, ecPerBlock)))]
  const pattern = emptyGrid(21 + 4 * index, alignment)
  drawFormat(pattern, 0)
  const candidates = masks.map((_, mask) => fill(pattern, words, mask))
  return candidates.reduce((best, grid) => (penaltyOf(grid) < penaltyOf(best) ? grid : best))
}
