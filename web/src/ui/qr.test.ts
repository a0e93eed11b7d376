import { expect, test } from 'vitest'
import { encodeQr } from './qr.ts'

const text = (grid: boolean[][]) =>
  grid.map((line) => line.map((cell) => (cell ? '#' : '.')).join('')).join('\n')

test('an address gets version 3 with its three finder patterns', () => {
  const grid = encodeQr('TMPyVucb61WVKFtJD81p4QNZEdE3QioTfA')
  expect(grid).toHaveLength(29)
  const finder = ['#######', '#.....#', '#.###.#', '#.###.#', '#.###.#', '#.....#', '#######']
  const cut = (row: number, column: number) =>
    text(grid.slice(row, row + 7).map((line) => line.slice(column, column + 7))).split('\n')
  expect([cut(0, 0), cut(0, 22), cut(22, 0)]).toEqual([finder, finder, finder])
})

test('the format bits are one of level M, the same in both copies', () => {
  const grid = encodeQr('gate')
  const size = grid.length
  const bit = (row: number, column: number) => Number(grid[row]![column])
  const first = [...Array(6).keys()].map((row) => bit(row, 8)).concat(bit(7, 8), bit(8, 8), bit(8, 7))
  const copyA = first.concat([5, 4, 3, 2, 1, 0].map((column) => bit(8, column)))
  const copyB = [...Array(8).keys()]
    .map((step) => bit(8, size - 1 - step))
    .concat([...Array(7).keys()].map((step) => bit(size - 7 + step, 8)))
  expect(copyA).toEqual(copyB)
  const value = copyA.reduce((sum, one, index) => sum | (one << index), 0)
  // ISO/IEC 18004 annex C: the eight format words of level M.
  expect([0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0]).toContain(value)
})

test('grows with the text and refuses what does not fit instead of cutting it', () => {
  expect(encodeQr('x'.repeat(14))).toHaveLength(21)
  expect(encodeQr('x'.repeat(15))).toHaveLength(25)
  expect(encodeQr('x'.repeat(106))).toHaveLength(41)
  expect(() => encodeQr('x'.repeat(107))).toThrow('do not fit')
})
