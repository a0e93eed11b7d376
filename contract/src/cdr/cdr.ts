// CDR files: records that leave by the hour or the day, or as archived weeks, each in one file, to a place that staff choose.
import { z } from 'zod'
import { exportColumns, exportColumnsSchema } from '../records/export-columns.ts'
import { idParams, idSchema, lineSchema, okSchema, pageQuery, versionSchema, wholeNumber } from '../fields.ts'
import { routes } from '../route.ts'

/**
 * A file for each UTC hour or day in which records were stored; archive: one for each UTC day of a closed week, with the
 * records that were received in it, everybody's, as Parquet with all columns.
 */
const cdrRhythms = ['hour', 'day', 'archive'] as const
export type CdrRhythm = (typeof cdrRhythms)[number]

const cdrFormats = ['csv', 'parquet'] as const
export type CdrFormat = (typeof cdrFormats)[number]

/** incomplete: some of its records were removed before it was delivered, so it is not delivered at all. */
const cdrFileStates = ['waiting', 'delivered', 'incomplete'] as const
export type CdrFileState = (typeof cdrFileStates)[number]

/** Each is looked at every few seconds. */
export const cdrSchedulesMax = 100

// Fit for every file system, key and line of a log. A leading dot would hide it.
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
const folderPattern = /^([A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)?$/

const folderSchema = lineSchema(200).refine(
  (path) => folderPattern.test(path),
  'Enter folders with / between them, of letters, digits, dots, dashes and underscores; none begins with a dot',
)
const requiredLine = (max: number, missing: string) =>
  lineSchema(max).refine((text) => text !== '', { error: missing, abort: true })

const folderDestination = z.object({
  type: z.literal('folder'),
  /** Below the folder that the operator permits (CDR_DIR); empty: that folder itself. */
  path: folderSchema,
})
const s3Destination = z.object({
  type: z.literal('s3'),
  /** The address of the storage, without the bucket. */
  endpoint: lineSchema(300).refine(
    (text) => /^https?:\/\/[^\s/?#@\\]+\/?$/i.test(text),
    'Enter an address such as https://s3.eu-central-1.amazonaws.com, without bucket and path',
  ),
  region: lineSchema(60).refine(
    (text) => /^[a-z0-9-]+$/i.test(text),
    'Enter the region, such as eu-central-1; storage without regions takes us-east-1',
  ),
  bucket: lineSchema(63).refine((text) => /^[a-z0-9][a-z0-9.-]+$/.test(text), 'Enter the name of the bucket'),
  path: folderSchema,
  accessKeyId: requiredLine(128, 'Enter the access key id'),
})
const sftpDestination = z.object({
  type: z.literal('sftp'),
  host: lineSchema(253).refine(
    (text) => /^[A-Za-z0-9][A-Za-z0-9.:-]*$/.test(text),
    'Enter a host name or an address',
  ),
  port: wholeNumber(1, 65_535).default(22),
  username: requiredLine(128, 'Enter the user name'),
  /** In the folder that the server opens; with a leading / from its root. */
  path: lineSchema(200).refine(
    (path) => folderPattern.test(path.replace(/^\//, '')),
    'Enter folders with / between them, of letters, digits, dots, dashes and underscores; none begins with a dot',
  ),
  /** As `ssh-keygen -lf` prints it. Empty: not known yet; a test tells it, and nothing is sent before. */
  hostKey: lineSchema(60).refine(
    (text) => text === '' || /^SHA256:[A-Za-z0-9+/]{43}$/.test(text),
    'Enter the fingerprint as SHA256: and 43 characters',
  ),
  /** Whether the secret is a password or a private key. */
  signIn: z.enum(['password', 'key']),
})
const cdrDestinationSchema = z.discriminatedUnion('type', [folderDestination, s3Destination, sftpDestination])
export type CdrDestination = z.infer<typeof cdrDestinationSchema>

/** Of a private key; the longest of RSA has 6,400. */
const secretMax = 8_000

const scheduleFields = {
  /** It begins the name of each file. */
  name: lineSchema(40).refine(
    (text) => namePattern.test(text),
    'Enter letters, digits, dashes and underscores; it begins the names of the files',
  ),
  every: z.enum(cdrRhythms),
  format: z.enum(cdrFormats),
  columns: exportColumnsSchema,
  /** Only this client's records, written as the client sees them; null: everybody's. */
  client: lineSchema(64).nullable(),
  /** Only this supplier's records; null: everybody's. */
  gateway: lineSchema(200).nullable(),
  destination: cdrDestinationSchema,
}

/** The secret access key of S3, or the password or private key of SFTP. */
const secret = z.string().max(secretMax)

export const createCdrScheduleSchema = z.object({
  ...scheduleFields,
  columns: scheduleFields.columns.default(exportColumns.join(',')),
  client: scheduleFields.client.default(null),
  gateway: scheduleFields.gateway.default(null),
  secret: secret.default(''),
})

/** A secret that is left out or empty stays, as long as the destination is of the same type. */
export const editCdrScheduleSchema = z.object({
  ...scheduleFields,
  secret: secret.default(''),
  version: versionSchema,
})

const cdrScheduleSchema = z.object({
  ...scheduleFields,
  id: z.string(),
  /** What is stored is never shown. */
  hasSecret: z.boolean(),
  isPaused: z.boolean(),
  /** When the next file is made; an archive then looks for weeks that have closed. */
  nextAt: z.string(),
  /** Files that are not delivered yet. */
  waiting: z.int(),
  /** Of the oldest file that waits, when its last attempt failed. */
  failing: z
    .object({ since: z.string(), attempts: z.int(), error: z.string(), nextAttemptAt: z.string() })
    .nullable(),
  lastDelivered: z.object({ name: z.string(), at: z.string(), recordCount: z.int() }).nullable(),
  version: z.int(),
  createdAt: z.string(),
})
export type CdrSchedule = z.infer<typeof cdrScheduleSchema>

const cdrFileSchema = z.object({
  id: z.string(),
  sequence: z.int(),
  name: z.string(),
  state: z.enum(cdrFileStates),
  /** Its records were stored between these; in an archive they were received between them. */
  periodFrom: z.string(),
  periodTo: z.string(),
  /** Null: not written yet, as with size and hash. */
  recordCount: z.int().nullable(),
  sizeBytes: z.int().nullable(),
  /** Of the whole file, in hexadecimal. */
  sha256: z.string().nullable(),
  attempts: z.int(),
  /** What the last attempt failed with, and what fixes it; empty after a success. */
  error: z.string(),
  nextAttemptAt: z.string().nullable(),
  deliveredAt: z.string().nullable(),
})
export type CdrFile = z.infer<typeof cdrFileSchema>

const cdrTestSchema = z.object({
  success: z.boolean(),
  error: z.string().optional(),
  /** The fingerprint that an SFTP server showed, where it is not the one of the schedule. */
  hostKey: z.string().optional(),
  durationMs: z.int(),
})
export type CdrTest = z.infer<typeof cdrTestSchema>

const access = 'interconnectionApi'
const fileParams = z.object({ id: idSchema, fileId: idSchema })

export const cdrRoutes = routes({
  listCdrSchedules: {
    method: 'GET',
    path: '/api/cdr-schedules',
    summary:
      'The schedules by which records leave as files, and whether the operator permits folders. Secrets are left out.',
    access,
    response: z.object({ canUseFolders: z.boolean(), schedules: z.array(cdrScheduleSchema) }),
  },
  createCdrSchedule: {
    method: 'POST',
    path: '/api/cdr-schedules',
    summary:
      'Have the records that are stored from now on written to files by the hour or the day, or all of them archived by closed weeks.',
    access,
    fresh: 'now',
    body: createCdrScheduleSchema,
    response: cdrScheduleSchema,
    status: 201,
    isIdempotent: true,
  },
  editCdrSchedule: {
    method: 'PUT',
    path: '/api/cdr-schedules/{id}',
    summary: 'Change a schedule. Files that wait keep their columns and go to the new destination.',
    access,
    fresh: 'now',
    params: idParams,
    body: editCdrScheduleSchema,
    response: cdrScheduleSchema,
  },
  deleteCdrSchedule: {
    method: 'DELETE',
    path: '/api/cdr-schedules/{id}',
    summary: 'Forget a schedule and its list of files. What was delivered stays where it is.',
    access,
    fresh: 'hour',
    params: idParams,
    response: okSchema,
  },
  pauseCdrSchedule: {
    method: 'POST',
    path: '/api/cdr-schedules/{id}/pause',
    summary: 'Make and deliver no files for now.',
    access,
    params: idParams,
    response: cdrScheduleSchema,
  },
  resumeCdrSchedule: {
    method: 'POST',
    path: '/api/cdr-schedules/{id}/resume',
    summary: 'Make the files of the time since the pause, and go on.',
    access,
    params: idParams,
    response: cdrScheduleSchema,
  },
  testCdrSchedule: {
    method: 'POST',
    path: '/api/cdr-schedules/{id}/test',
    summary: 'Write a small file to the destination and remove it. A failure is an answer, not an error.',
    access,
    params: idParams,
    response: cdrTestSchema,
    isHeavy: true,
  },
  listCdrFiles: {
    method: 'GET',
    path: '/api/cdr-schedules/{id}/files',
    summary: 'The files of a schedule with their counts and hashes, newest first.',
    access,
    params: idParams,
    query: pageQuery.extend({ state: z.enum(cdrFileStates).optional() }),
    response: z.array(cdrFileSchema),
    isPaged: true,
  },
  sendCdrFile: {
    method: 'POST',
    path: '/api/cdr-schedules/{id}/files/{fileId}/send',
    summary: 'Deliver a file once more, or make its next attempt now.',
    access,
    params: fileParams,
    response: cdrFileSchema,
    status: 202,
  },
})
