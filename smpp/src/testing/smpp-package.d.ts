// The part of the untyped npm package "smpp" that the interoperability test uses.
declare module 'smpp' {
  namespace smpp {
    interface Pdu {
      [field: string]: unknown
      command: string
      command_status: number
      response(fields?: object): Pdu
    }
    type Call = (fields: object, callback: (pdu: Pdu) => void) => void
    interface Session extends NodeJS.EventEmitter {
      on(event: string, listener: (pdu: Pdu) => void): this
      readonly socket: { write(octets: Buffer): void }
      bind_transceiver: Call
      submit_sm: Call
      deliver_sm: Call
      query_sm: Call
      enquire_link: Call
      unbind: Call
      send(pdu: Pdu): void
      destroy(): void
    }
    interface Server extends NodeJS.EventEmitter {
      listen(port: number, host: string): void
      address(): { port: number }
      close(): void
    }
    const PDU: new (command: string | Buffer, fields?: object) => Pdu
    const filters: {
      message: { decode: (this: object, value: unknown, skipsHeader?: boolean) => unknown }
    }
    function connect(where: { host: string; port: number }): Session
    function createServer(onSession: (session: Session) => void): Server
  }
  export = smpp
}
