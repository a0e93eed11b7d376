import { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import { chooseOneOf } from '@tollgate/contract/schema-messages.ts'
import { secondFactorRules, type SecondFactorRule } from '@tollgate/contract/vocabulary.ts'
import type { Audit, AuditActor } from '../audit/index.ts'
import type { Mail } from '../mail/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { bindOn, type Actor, type BoundRoutes } from '../http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { createAccountEvents } from './account-events.ts'
import { ensureFirstAdmin, type FirstAdmin } from './administration/first-admin.ts'
import { createPasswords } from './accounts/passwords.ts'
import { defineBindSettings, type SmppAddress } from './smpp/bind-details.ts'
import { defineRegistration, registrationAdvice } from './sign-up/registration.ts'
import { SignUpTurns } from './sign-up/sign-up-turns.ts'
import { deleteOldRateUses } from '../platform/load/rate-uses.ts'
import { SharedReads } from '../platform/load/shared-reads.ts'
import { findById } from './accounts/store.ts'
import { deleteOldChallenges } from './factors/passkey-store.ts'
import { bindFactorRoutes } from './sign-in/routes.ts'
import { findProgram, findProgramById } from './keys/api-keys.ts'
import { findPerson, findPersonByHash, idHashOf, sweepLogins } from './login/session-life.ts'
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
import { createHeadMail } from './administration/head-mail.ts'
import { mailOwners } from './login/sign-in-mails.ts'
import { bindPreferencesRoutes } from './preferences/routes.ts'
import {
  bindSmppProfileRoutes,
  bindUserChangesRoutes,
  bindUserKeysRoutes,
  bindUsersRoutes,
  showSignedIn,
} from './routes.ts'
import { createSettings, type Settings } from '../settings/index.ts'
import { createSmppCredentials, type SmppAccount } from './smpp/credentials.ts'

export interface UsersParts {
  readonly db: Db
  /** The pool for heavy calls; defaults to `db`. */
  readonly heavyDb?: Db | undefined
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  readonly secrets: Secrets
  /** The address that suppliers bind to; shown with SMPP credentials. */
  readonly smppAddress: () => SmppAddress
  /** PUBLIC_URL: the console's address, which passkeys are bound to. */
  readonly publicUrl?: URL | undefined
  /**
   * Mails owners about sign-ins from new devices and failed ones, admins the audit log's head, and links for forgotten
   * passwords; undefined where no mail server is configured.
   */
  readonly mail?: Pick<Mail, 'enqueue' | 'enqueueEncrypted'> | undefined
  /** The console's address for links in mails; when it is unknown (undefined), no link is mailed. */
  readonly consoleUrl?: string | undefined
  /** Gets database faults of background work, which is repeated. */
  readonly onFault?: (error: unknown) => void
}

export interface Users {
  readonly routes: BoundRoutes[]
  /** The registry of settings. Each slice declares its own settings here when it is built. */
  readonly settings: Settings
  /** What peers are told to bind to. */
  readonly smppAddress: () => Promise<SmppAddress>
  /** The person or program behind a call, with its current role; undefined for nobody. */
  readonly findActor: (credentials: {
    readonly session?: string
    readonly key?: string
    readonly ip?: string
    readonly userAgent?: string
  }) => Promise<Actor | undefined>
  /** The current state of an earlier call's actor; undefined once the session ended or the key was withdrawn. */
  readonly currentActor: (actor: Actor) => Promise<Actor | undefined>
  /** The account with this system_id; undefined when there is none. */
  readonly findSmppAccount: (systemId: string) => Promise<SmppAccount | undefined>
  /**
   * Calls `listener` for each change of an account on any node, at most 4 s later, sometimes twice. Returns how to
   * unsubscribe. The listener must not throw.
   */
  readonly onAccountChanged: (listener: (userId: number) => void) => () => void
  /** Makes an admin when there is none; returns what to print. Call it after the migrations. */
  readonly ensureFirstAdmin: (
    operatorChoice: { readonly username: string; readonly password: string } | undefined,
  ) => Promise<FirstAdmin | undefined>
  /** The account with this username, whatever its case, for {@link Users.resetByOperator}; undefined for nobody's. */
  readonly findToReset: (username: string) => Promise<AccountToReset | undefined>
  /**
   * Gives an account a new password that must be changed at the next sign-in, and ends its sessions; `withdrawsAccess`
   * withdraws its API keys and renews its SMPP password, `removesSecondFactor` removes its second factor. It checks no
   * permission: only for the operator's command.
   */
  readonly resetByOperator: (userId: number, choice: OperatorChoice) => Promise<OperatorReset>
  /** The warning for a start that listens on `host` where strangers may sign up; undefined for none. */
  readonly registrationAdvice: (host: string) => Promise<string | undefined>
  /** Mails a published head of the audit log to the admins, in the caller's transaction, unless the setting is off. */
  readonly announceAuditHead: (tx: Db, line: string, at: Date) => Promise<void>
  readonly jobs: readonly Job[]
  /** Listens for account changes of other nodes until stopped. */
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

// Staff see recent links; the audit log keeps the older ones.
const linksKeptMs = 90 * 86_400_000

/** Builds the slice. */
export function createUsers(deps: UsersParts): Users {
  const { db, clock, secrets } = deps
  const onFault = deps.onFault ?? (() => undefined)
  const accountEvents = createAccountEvents(db, onFault)
  const smpp = createSmppCredentials(secrets)
  const settings = createSettings(deps)
  const declared = { ...defineRegistration(settings), ...defineBindSettings(settings, deps.smppAddress) }
  const secondFactorRule = settings.define<SecondFactorRule>({
    key: 'second_factor',
    description:
      'Who must have a second factor, an authenticator app or a passkey: off (nobody), or staff (support and admin, who set one up at their next sign-in).',
    fallback: 'off',
    schema: z.enum(secondFactorRules, chooseOneOf(secondFactorRules)),
    refuse: refuseRuleWithoutOwn,
  })
  const { mail, consoleUrl, publicUrl } = deps
  const ways = { publicUrl, consoleUrl, mail }
  const turns = { passwords: createPasswords(), signUpTurns: new SignUpTurns(clock) }
  const parts = { ...deps, ...ways, ...turns, accountEvents, smpp, ...declared, secondFactorRule }
  // A browser, or an attacker, makes many calls at once with one cookie.
  const people = new SharedReads<Actor | undefined>()
  return {
    announceAuditHead: createHeadMail(settings, deps.mail),
    routes: [
      bindOn(parts, bindUsersRoutes),
      bindSmppProfileRoutes(parts),
      bindUserChangesRoutes(parts),
      bindUserKeysRoutes(parts),
      bindPreferencesRoutes(db, mail !== undefined),
      bindSessionsRoutes(parts),
      bindResetRoutes({ ...parts, onFault }),
      bindFactorRoutes({
        ...parts,
        showSignedIn: (userId, cookie) => showSignedIn(parts, userId, cookie),
      }),
    ],
    settings,
    smppAddress: () => parts.smppAddress(db),
    async findActor({ session, key, ip, userAgent = '' }) {
      if (key !== undefined) return findProgram(db, clock, key, { ip: ip ?? '', userAgent })
      if (session === undefined) return undefined
      return people.run(`${session} ${ip}`, () => findPerson(db, clock, session, ip))
    },
    async currentActor({ sessionId, keyId }) {
      if (keyId !== undefined) return findProgramById(db, keyId)
      return sessionId === undefined ? undefined : findPersonByHash(db, clock, idHashOf(sessionId))
    },
    findSmppAccount: (systemId) => smpp.find(db, systemId),
    onAccountChanged: (listener) => accountEvents.onAccountChanged(listener),
    ensureFirstAdmin: (admin) => ensureFirstAdmin(parts, admin),
    findToReset: (username) => findToReset(db, username),
    resetByOperator: (userId, choice) => resetByOperator(parts, userId, choice),
    registrationAdvice: (host) => registrationAdvice(db, parts, host),
    jobs: [
      { name: 'sweep-logins', everyMs: 600_000, run: () => sweep(db, clock) },
      { name: 'begin-setting-changes', everyMs: 1_000, run: () => settings.beginDue(db) },
      { name: 'tell-owners-of-sign-ins', everyMs: 60_000, run: () => mailOwners(db, clock, deps.mail) },
      {
        name: 'sweep-reset-links',
        everyMs: 3_600_000,
        run: async () => void (await deleteOldLinks(db, new Date(clock.now().getTime() - linksKeptMs))),
      },
    ],
    start: () => accountEvents.start(),
    stop: () => accountEvents.stop(),
  }
}

async function sweep(db: Db, clock: Clock): Promise<void> {
  await sweepLogins(db, clock)
  await deleteOldRateUses(db, clock.now())
  await deleteOldChallenges(db, clock.now())
}

/** An admin who requires a second factor must have one: this proves that it works here, and nobody locks themselves out. */
async function refuseRuleWithoutOwn(tx: Db, rule: SecondFactorRule, { userId }: AuditActor): Promise<void> {
  if (rule === 'off' || userId === null) return
  if ((await findById(tx, userId))?.has_second_factor === true) return
  throw new Refusal('wrong_state', 'Set up your own second factor first; then make it a rule for others.')
}
