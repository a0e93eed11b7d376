// The form of a connection: its schema, and what it is filled with.
import { createConnectionSchema, type Connection } from '@tollgate/contract/connections/connections.ts'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { networksText, networksTextSchema } from '../users/networks-text.ts'

export const formSchema = createConnectionSchema.extend({ allowedCidrs: networksTextSchema })

export type ConnectionForm = UseFormReturn<z.input<typeof formSchema>, unknown, z.output<typeof formSchema>>

type Optional = Pick<Connection, 'sendWindow' | 'enquireLinkSeconds' | 'tlsCa' | 'tlsName' | 'allowedCidrs'>

/** An empty field is the common setting of all connections. */
function formValuesOf<Values extends Optional>({
  sendWindow,
  enquireLinkSeconds,
  tlsCa,
  tlsName,
  allowedCidrs,
  ...connection
}: Values) {
  return {
    ...connection,
    sendWindow: sendWindow ?? '',
    enquireLinkSeconds: enquireLinkSeconds ?? '',
    tlsCa: tlsCa ?? '',
    tlsName: tlsName ?? '',
    allowedCidrs: networksText(allowedCidrs),
  }
}

/** What a new connection has. */
export const newConnection = {
  name: '',
  host: '',
  ...formValuesOf(createConnectionSchema.omit({ name: true, host: true }).parse({})),
}

export const valuesOf = (connection: Connection | undefined) => ({
  ...newConnection,
  ...(connection && formValuesOf(connection)),
  password: '',
})

/** Without TLS nobody is trusted over it, whatever the connection had. */
export const bodyOf = (checked: z.output<typeof formSchema>) =>
  checked.useTls ? checked : { ...checked, tlsCa: null, tlsName: null }
