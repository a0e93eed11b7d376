// A device with passkeys, as a browser would talk to it: WebAuthn with ES256 keys, without attestation.
import { createHash, createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'

interface Origin {
  readonly origin?: string
  readonly rpId?: string
}

const presentAndVerified = 0x05
const withKey = 0x40

/** One passkey on one device. */
export class TestAuthenticator {
  readonly id = randomBytes(16).toString('base64url')
  /** Grows with each use, as that of a security key does. */
  signCount = 0
  /** Whether it has checked finger, face or PIN. */
  isVerifying = true
  readonly #key: KeyObject
  readonly #publicKey: Buffer
  #userHandle = ''

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = privateKey
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    // COSE (RFC 9053): kty EC2, alg ES256, crv P-256, x, y.
    this.#publicKey = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
  }

  /** Answers `navigator.credentials.create`. */
  create(options: { challenge: string; user: { id: string } }, { origin, rpId }: Origin = {}) {
    this.#userHandle = options.user.id
    const id = Buffer.from(this.id, 'base64url')
    const authData = Buffer.concat([
      this.#head(rpId, withKey),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      this.#publicKey,
    ])
    // CBOR: {fmt: 'none', attStmt: {}, authData}.
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3, 0x63]),
      Buffer.from('fmt'),
      Buffer.from([0x64]),
      Buffer.from('none'),
      Buffer.from([0x67]),
      Buffer.from('attStmt'),
      Buffer.from([0xa0, 0x68]),
      Buffer.from('authData'),
      Buffer.from([0x58, authData.length]),
      authData,
    ])
    return {
      id: this.id,
      clientDataJSON: clientData('webauthn.create', options.challenge, origin).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    }
  }

  /** Answers `navigator.credentials.get`. */
  get(options: { challenge: string }, { origin, rpId }: Origin = {}) {
    this.signCount += 1
    const authData = this.#head(rpId)
    const client = clientData('webauthn.get', options.challenge, origin)
    const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()])
    return {
      id: this.id,
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(this.#key).toString('base64url'),
      userHandle: this.#userHandle,
    }
  }

  #head(rpId = 'localhost', extraFlags = 0): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(this.signCount)
    const flags = (this.isVerifying ? presentAndVerified : 0x01) | extraFlags
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count])
  }
}

function clientData(type: string, challenge: string, origin = 'http://localhost:80'): Buffer {
  // As a browser writes it: the default port goes without saying.
  return Buffer.from(JSON.stringify({ type, challenge, origin: new URL(origin).origin, crossOrigin: false }))
}
