// SHA-256 (FIPS 180-4) without waiting: a statement's chain is a million small hashes, each of the one before, and the
// browser's own digest answers each only after a turn of the event loop, and only on pages with HTTPS.
const initial = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]

/** FIPS 180-4 §4.2.2: the fractional parts of the cube roots of the first 64 primes. */
const constants = Int32Array.from(firstPrimes(64), (prime) => {
  // The root's first 32 binary places, exactly: floor(cbrt(prime · 2^96)) mod 2^32.
  const target = BigInt(prime) << 96n
  let [low, high] = [0n, 1n << 36n]
  while (low < high) {
    const middle = (low + high + 1n) / 2n
    if (middle ** 3n <= target) low = middle
    else high = middle - 1n
  }
  return Number(BigInt.asIntN(32, low))
})

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let candidate = 2; primes.length < count; candidate += 1)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate)
  return primes
}

const blockBytes = 64
const schedule = new Int32Array(64)

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** FIPS 180-4 §6.2.2. Reads of typed arrays inside their bounds are never undefined. */
function addBlock(state: Int32Array, view: DataView, offset: number): void {
  const w = (index: number) => schedule[index] as number
  for (let index = 0; index < 16; index += 1) schedule[index] = view.getInt32(offset + index * 4)
  for (let index = 16; index < 64; index += 1) {
    const [near, far] = [w(index - 2), w(index - 15)]
    const sigma1 = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10)
    const sigma0 = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3)
    schedule[index] = sigma1 + w(index - 7) + sigma0 + w(index - 16)
  }
  // Word by word: taking an array apart costs more here than the rounds.
  const word = (index: number) => state[index] as number
  let [a, b, c, d] = [word(0), word(1), word(2), word(3)]
  let [e, f, g, h] = [word(4), word(5), word(6), word(7)]
  for (let index = 0; index < 64; index += 1) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const first = (h + sum1 + ((e & f) ^ (~e & g)) + (constants[index] as number) + w(index)) | 0
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const second = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  state[0] = word(0) + a
  state[1] = word(1) + b
  state[2] = word(2) + c
  state[3] = word(3) + d
  state[4] = word(4) + e
  state[5] = word(5) + f
  state[6] = word(6) + g
  state[7] = word(7) + h
}

/** The SHA-256 of `bytes`, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const state = Int32Array.from(initial)
  const whole = bytes.length - (bytes.length % blockBytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let offset = 0; offset < whole; offset += blockBytes) addBlock(state, view, offset)
  // §5.1.1: a 1 bit, zeros, the length in bits.
  const rest = bytes.subarray(whole)
  const tail = new Uint8Array(rest.length + 9 <= blockBytes ? blockBytes : 2 * blockBytes)
  tail.set(rest)
  tail[rest.length] = 0x80
  const tailView = new DataView(tail.buffer)
  tailView.setUint32(tail.length - 8, Math.floor(bytes.length / 0x2000_0000))
  tailView.setUint32(tail.length - 4, (bytes.length * 8) >>> 0)
  for (let offset = 0; offset < tail.length; offset += blockBytes) addBlock(state, tailView, offset)
  const digest = new Uint8Array(32)
  const digestView = new DataView(digest.buffer)
  state.forEach((word, index) => digestView.setInt32(index * 4, word))
  return digest
}
