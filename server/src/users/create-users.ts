import { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import { secondFactorRules, type SecondFactorRule } from '@tollgate/contract/vocabulary.ts'
import type { Audit, AuditActor } from '../audit/index.ts'
import type { Mail } from '../mail/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { bindOn, type Actor, type BoundRoutes } from '../platform/http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { createAccountNews } from './account-news.ts'
import { ensureFirstAdmin, type FirstAdmin } from './accounts/first-admin.ts'
import { createPasswords } from './accounts/passwords.ts'
import { defineRegistration, registrationAdvice } from './accounts/registration.ts'
import { sweepSignUps } from './accounts/sign-up-budget.ts'
import { findById } from './accounts/store.ts'
import { deleteOldChallenges } from './factors/passkey-store.ts'
import { bindFactorRoutes } from './factors/routes.ts'
import { findProgram, findProgramById } from './keys/api-keys.ts'
import { findPerson, findPersonByHash, idHashOf, sweepLogins } from './login/login-sessions.ts'
import {
  findToReset,
  resetByOperator,
  type AccountToReset,
  type OperatorChoice,
  type OperatorReset,
} from './recovery/reset-by-operator.ts'
import { bindSessionsRoutes } from './login/routes.ts'
import { bindResetRoutes } from './recovery/routes.ts'
import { deleteOldLinks } from './recovery/store.ts'
import { createHeadMail } from './accounts/head-mail.ts'
import { tellOwners } from './login/sign-in-mails.ts'
import { bindSmppProfileRoutes, bindUsersRoutes, showSignedIn } from './routes.ts'
import { createSettings, type Settings } from './settings/settings.ts'
import { createSmppCredentials, type SmppAccount } from './smpp/credentials.ts'

export interface UsersParts {
  readonly db: Db
  /** What heavy calls work on; `db` unless given. */
  readonly heavyDb?: Db | undefined
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  readonly secrets: Secrets
  /** Where suppliers bind to; shown with SMPP credentials. */
  readonly smppAddress: () => { host: string; port: number }
  /** PUBLIC_URL: where the console is, and so for what address passkeys are. */
  readonly publicUrl?: URL | undefined
  /**
   * Tells owners of sign-ins from new devices and of failed ones and admins of the audit log, and mails links for forgotten
   * passwords; undefined where no mail server is configured.
   */
  readonly mail?: Pick<Mail, 'enqueue' | 'enqueueSealed'> | undefined
  /** Where people reach the console, for mails; undefined when it cannot be known, and then no link is mailed. */
  readonly consoleUrl?: string | undefined
  /** Hears of database faults in the background; they are tried again. */
  readonly onFault?: (error: unknown) => void
}

export interface Users {
  readonly routes: BoundRoutes[]
  /** The settings table. Slices declare their own settings here when they are built. */
  readonly settings: Settings
  /** The person or program behind a call, with the role that is theirs now; undefined for nobody. */
  readonly findActor: (credentials: {
    readonly session?: string
    readonly key?: string
    readonly ip?: string
    readonly userAgent?: string
  }) => Promise<Actor | undefined>
  /** Who an actor of an earlier call is now; undefined once the session ended or the key was withdrawn. */
  readonly currentActor: (actor: Actor) => Promise<Actor | undefined>
  /** The account that binds with this system_id, as it is now; undefined when nobody has it. */
  readonly findSmppAccount: (systemId: string) => Promise<SmppAccount | undefined>
  /**
   * Calls `listener` for each change of an account on any node, at once or at most 4 s later, sometimes twice. Gives
   * how to stop it. The listener must not throw.
   */
  readonly onAccountChanged: (listener: (userId: number) => void) => () => void
  /** Makes an admin when there is none; gives what to print. Call it once the schema is there. */
  readonly ensureFirstAdmin: (
    given: { readonly username: string; readonly password: string } | undefined,
  ) => Promise<FirstAdmin | undefined>
  /** The account with this username, whatever its case, for {@link Users.resetByOperator}; undefined for nobody's. */
  readonly findToReset: (username: string) => Promise<AccountToReset | undefined>
  /**
   * Gives an account a new password that must be changed at the next sign-in, and ends its sessions; `withdrawsAccess`
   * withdraws its API keys and renews its SMPP password, `removesSecondFactor` its second factor. For the operator alone: it asks nobody.
   */
  readonly resetByOperator: (userId: number, choice: OperatorChoice) => Promise<OperatorReset>
  /** What to say at a start that listens on `host`, where strangers may sign up; undefined for nothing. */
  readonly registrationAdvice: (host: string) => Promise<string | undefined>
  /** Mails a published head of the audit log to the admins, in the caller's transaction, unless the setting is off. */
  readonly announceAuditHead: (tx: Db, line: string, at: Date) => Promise<void>
  readonly jobs: readonly Job[]
  /** Listens for account changes of other nodes until stopped. */
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

// Staff see what was made lately; the audit log keeps the rest.
const linksKeptMs = 90 * 86_400_000

/** Builds the slice. */
export function createUsers(given: UsersParts): Users {
  const { db, clock, audit, secrets } = given
  const onFault = given.onFault ?? (() => undefined)
  const news = createAccountNews(db, onFault)
  const passwords = createPasswords()
  const smpp = createSmppCredentials(secrets)
  const settings = createSettings(audit)
  const registrations = defineRegistration(settings)
  const secondFactorRule = settings.define<SecondFactorRule>({
    key: 'second_factor',
    description:
      'Who must have a second factor, an authenticator app or a passkey: off (nobody), or staff (support and admin, who set one up at their next sign-in).',
    fallback: 'off',
    schema: z.enum(secondFactorRules, `Choose one of ${secondFactorRules.join(', ')}`),
    refuse: refuseRuleWithoutOwn,
  })
  const publicUrl = given.publicUrl
  const parts = { ...given, publicUrl, news, passwords, smpp, ...registrations, secondFactorRule }
  const sweep = async () => {
    await sweepLogins(db, clock)
    await sweepSignUps(db, clock.now())
    await deleteOldChallenges(db, clock.now())
  }
  const resetParts = { ...parts, onFault, mail: given.mail, consoleUrl: given.consoleUrl }
  return {
    announceAuditHead: createHeadMail(settings, given.mail),
    routes: [
      bindOn(parts, bindUsersRoutes),
      bindSmppProfileRoutes(parts),
      bindSessionsRoutes(parts),
      bindResetRoutes(resetParts),
      bindFactorRoutes({
        ...parts,
        showSignedIn: (userId, cookie) => showSignedIn(parts, userId, cookie),
      }),
    ],
    settings,
    async findActor({ session, key, ip, userAgent = '' }) {
      if (key !== undefined) return findProgram(db, clock, key, { ip: ip ?? '', userAgent })
      return session === undefined ? undefined : findPerson(db, clock, session, ip)
    },
    async currentActor({ sessionId, keyId }) {
      if (keyId !== undefined) return findProgramById(db, keyId)
      return sessionId === undefined ? undefined : findPersonByHash(db, clock, idHashOf(sessionId))
    },
    findSmppAccount: (systemId) => smpp.find(db, systemId),
    onAccountChanged: (listener) => news.onAccountChanged(listener),
    ensureFirstAdmin: (admin) => ensureFirstAdmin(parts, admin),
    findToReset: (username) => findToReset(db, username),
    resetByOperator: (userId, choice) => resetByOperator(parts, userId, choice),
    registrationAdvice: (host) => registrationAdvice(db, registrations, host),
    jobs: [
      { name: 'sweep-logins', everyMs: 600_000, run: sweep },
      { name: 'tell-owners-of-sign-ins', everyMs: 60_000, run: () => tellOwners(db, clock, given.mail) },
      {
        name: 'sweep-reset-links',
        everyMs: 3_600_000,
        run: async () => void (await deleteOldLinks(db, new Date(clock.now().getTime() - linksKeptMs))),
      },
    ],
    start: () => news.start(),
    stop: () => news.stop(),
  }
}

/** Who makes others set one up has shown that it can be done here, and does not lock himself out. */
async function refuseRuleWithoutOwn(tx: Db, rule: SecondFactorRule, { userId }: AuditActor): Promise<void> {
  if (rule === 'off' || userId === null) return
  if ((await findById(tx, userId))?.has_second_factor === true) return
  throw new Refusal('wrong_state', 'Set up your own second factor first; then make it a rule for others.')
}
