// The flight recorder of a bind or connection: its last PDUs, decoded; texts masked, passwords never.
import { z } from 'zod'
import { wholeNumber } from '../fields.ts'
import { routes } from '../route.ts'

/** `bind-<user id>` for the binds of an account, `connection-<id>` for a link of ours. */
const switchedLink = /^(bind|connection)-\d{1,10}$/
/** Also refused binds, by the system_id or the address of the peer: `refused-acme`, `address-192.0.2.7`. */
const shownLink = /^((bind|connection)-\d{1,10}|refused-[\x20-\x7e]{0,20}|address-[0-9a-fA-F.:]{2,45})$/

const flightDirections = ['in', 'out'] as const

const flightPduSchema = z.object({
  id: z.string(),
  at: z.string(),
  /** Tells the sessions of one link apart. */
  session: z.string(),
  /** As we see it: `in` is from the peer. */
  direction: z.enum(flightDirections),
  command: z.string(),
  status: z.int(),
  /** Such as ESME_ROK; empty for one that SMPP does not name. */
  statusName: z.string(),
  sequence: z.int(),
  octets: z.int(),
  /** Of this PDU, or of the request that it answers. */
  messageId: z.string(),
  /** Of a request: how long its answer took; null without one. */
  answerMs: z.int().nullable(),
  /** In the order of the wire, the header first; of a text only its size. */
  fields: z.array(
    z.object({
      name: z.string(),
      value: z.string(),
      /** The octets on the wire; `··` stands for each that is hidden. Of a long PDU the first 512 are there. */
      hex: z.string(),
    }),
  ),
})
export type FlightPdu = z.infer<typeof flightPduSchema>

const switchSchema = z.object({
  isOn: z.boolean(),
  /** It switches itself off. */
  onUntil: z.string().nullable(),
})

const flightSchema = switchSchema.extend({
  /** The newest first. */
  pdus: z.array(flightPduSchema),
})
export type FlightRecording = z.infer<typeof flightSchema>

export const flightRoutes = routes({
  getFlight: {
    method: 'GET',
    path: '/api/smpp/flights/{link}',
    summary: 'The last PDUs of a link, while its recorder is on and up to an hour after.',
    access: 'smppControl',
    params: z.object({ link: z.string().regex(shownLink) }),
    query: z.object({
      /** The PDUs of one message, request and answer. */
      messageId: z.string().trim().max(65).optional(),
      direction: z.enum(flightDirections).optional(),
      /** A command, such as submit_sm; its answers too. */
      command: z
        .string()
        .regex(/^[a-z_]{1,30}$/)
        .optional(),
      /** Only those with an error. */
      errors: z.enum(['true', 'false']).optional(),
      limit: wholeNumber(1, 500).default(200),
    }),
    response: flightSchema,
  },
  switchFlight: {
    method: 'PUT',
    path: '/api/smpp/flights/{link}',
    summary: 'Switch the recorder of a link on for 15 minutes, or off.',
    access: 'smppControl',
    params: z.object({ link: z.string().regex(switchedLink) }),
    body: z.object({ isOn: z.boolean() }),
    response: switchSchema,
  },
})
