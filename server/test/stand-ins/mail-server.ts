import { afterAll } from 'vitest'
import { serveMail, type MailServer } from './serve-mail.ts'

/** Listens until the test file ends. */
export async function openMailServer(): Promise<MailServer> {
  const server = await serveMail()
  afterAll(() => server.stop())
  return server
}
