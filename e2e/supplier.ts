// A supplier that sends over SMPP.
import smpp from 'smpp'

/** The credentials of a supplier, as the API returns them. */
export interface Credentials {
  readonly systemId: string
  readonly password: string
}

const messageTo = (destination: string, text: string, source = '447700900318') => ({
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: source,
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: destination,
  short_message: text,
})

/** Binds with an SMPP implementation that is not ours. */
export async function bindSupplier(port: number, { systemId, password: word }: Credentials) {
  const session = smpp.connect({ host: '127.0.0.1', port })
  // The package leaves it to its user; who does not answer is dropped.
  session.on('enquire_link', (pdu) => session.send(pdu.response()))
  await new Promise<void>((bound, refused) => {
    session.on('connect', () =>
      session.bind_transceiver({ system_id: systemId, password: word }, ({ command_status: status }) =>
        status === 0 ? bound() : refused(new Error(`bind refused with ${status}`)),
      ),
    )
  })
  return {
    send: (destination: string, text: string, source?: string) =>
      new Promise<{ status: number; messageId: string }>((settle) =>
        session.submit_sm(
          messageTo(destination, text, source),
          ({ command_status: status, message_id: id }) =>
            settle({ status, messageId: typeof id === 'string' ? id : '' }),
        ),
      ),
    /** Sends the parts of a long message, all but those that are undefined; gives their ids. */
    async sendParts(destination: string, texts: readonly (string | undefined)[]): Promise<string[]> {
      const ids: string[] = []
      for (const [index, text] of texts.entries()) {
        if (text === undefined) continue
        const header = Buffer.of(5, 0, 3, 7, texts.length, index + 1)
        const octets = Buffer.concat([header, Buffer.from(text, 'latin1')])
        const part = { ...messageTo(destination, text), esm_class: 0x40, short_message: octets }
        ids.push(
          await new Promise<string>((settle) =>
            session.submit_sm(part, ({ message_id: id }) => settle(typeof id === 'string' ? id : '')),
          ),
        )
      }
      return ids
    },
    /** Sends a message and closes the socket before the answer can come. */
    sendAndLeave(destination: string, text: string) {
      session.submit_sm(messageTo(destination, text), () => undefined)
      session.destroy()
    },
    close: () => session.destroy(),
  }
}
