// Writes a picture as a PNG with at most 256 colours, a third of the size of what a browser writes.
import { crc32, deflateSync } from 'node:zlib'

/** One part of a PNG file: length, name, content, checksum. */
function chunk(name, content) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/**
 * Runs in the browser, which can read every picture: 256 colours, and each pixel's nearest of them. The most frequent ones
 * alone would leave out the red of a lamp, so rarer ones come in too that are far from all that are in already.
 */
async function reduce(base64) {
  const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob())
  const { width, height } = picture
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  context.drawImage(picture, 0, 0)
  const { data } = context.getImageData(0, 0, width, height)
  const counts = new Map()
  const colourAt = (place) => (data[place] << 16) | (data[place + 1] << 8) | data[place + 2]
  for (let place = 0; place < data.length; place += 4) {
    const colour = colourAt(place)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const distance = (one, other) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0)
  const frequent = [...counts].toSorted((one, other) => other[1] - one[1]).map(([colour]) => colour)
  const palette = frequent.slice(0, 128)
  for (const colour of frequent) {
    if (palette.length === 256) break
    if (palette.every((other) => distance(colour, other) > 500)) palette.push(colour)
  }
  for (const colour of frequent.slice(128, 256))
    if (palette.length < 256 && !palette.includes(colour)) palette.push(colour)
  const nearest = new Map(palette.map((colour, index) => [colour, index]))
  const indexOf = (colour) => {
    const known = nearest.get(colour)
    if (known !== undefined) return known
    let best = 0
    for (let index = 1; index < palette.length; index += 1)
      if (distance(colour, palette[index]) < distance(colour, palette[best])) best = index
    nearest.set(colour, best)
    return best
  }
  let text = ''
  for (let place = 0; place < data.length; place += 4) text += String.fromCharCode(indexOf(colourAt(place)))
  return { width, height, palette, indexes: btoa(text) }
}

/** A picture as the browser made it, in at most 256 colours. */
export async function palettePng(page, png) {
  const blank = await page.context().newPage()
  const { width, height, palette, indexes } = await blank.evaluate(reduce, png.toString('base64'))
  await blank.close()
  const pixels = Buffer.from(indexes, 'base64')
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // Eight bits for each pixel, which are the index of a colour.
  head.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  // Each line begins with its filter: none.
  const lines = Array.from({ length: height }, (_, line) =>
    Buffer.concat([Buffer.from([0]), pixels.subarray(line * width, (line + 1) * width)]),
  )
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(Buffer.concat(lines), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
