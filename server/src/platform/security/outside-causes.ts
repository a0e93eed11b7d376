// Why a call to outside failed, by the code of its error, or by its name where it has no code.

const causes: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'Nothing listens on this port: the connection was refused.'],
  [
    /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    'The address cannot be reached: nobody took the connection in time.',
  ],
  [
    /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/,
    'The address cannot be reached: no network leads to it.',
  ],
  [/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/, 'The address did not answer in time.'],
  // A head that is too long is none that anybody could read.
  [
    /^(HTTPParserError|HPE_.*|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    'Something answers at this address, but not in valid HTTP.',
  ],
  [
    /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/,
    'The address closed the connection before its answer was complete.',
  ],
  [/^(ERR_SSL_.*|EPROTO)$/, 'Something answers at this address, but not in valid TLS.'],
  [/^CERT_HAS_EXPIRED$/, 'The certificate of the address has expired.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'The certificate of the address is for another name.'],
  [
    /^(CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|INVALID_CA|INVALID_PURPOSE)$/,
    'The certificate of the address is not trusted.',
  ],
]

/** The sentence for an error or what caused it; undefined when it has none. */
export function causeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  // Several addresses were tried. One that refuses says more than another one that no network leads to.
  if (error instanceof AggregateError) {
    const found = causes.findIndex((cause) => error.errors.some((each) => causeOf(each) === cause[1]))
    return causes[found]?.[1]
  }
  const { code = error.name } = error as NodeJS.ErrnoException
  const cause = causes.find(([pattern]) => pattern.test(code))
  return cause?.[1] ?? causeOf(error.cause)
}
