// `npm run reset-password -- NAME`: the operator gives an account a new password, whether the gateway runs or not.
import { createInterface } from 'node:readline/promises'
import { createAudit } from '../audit/index.ts'
import { systemClock } from '../platform/clock.ts'
import { complain, runCommand, say, UsageError } from '../platform/process/command.ts'
import { box } from '../platform/process/box.ts'
import { readConfig } from '../platform/process/config.ts'
import { createLogger } from '../platform/log.ts'
import { openOperatorDatabase } from '../storage/operator-database.ts'
import { requireRootKey } from '../platform/security/secret-key.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { createUsers, type AccountToReset, type OperatorChoice, type OperatorReset } from '../users/index.ts'

const usage = `Usage: npm run reset-password -- NAME [--keys | --no-keys] [--second-factor | --no-second-factor]
Gives the account a new password, shown once, that must be changed at the next sign-in; its sessions end.
  --keys      also withdraws its API keys and makes a new SMPP password
  --no-keys   leaves both; without either a terminal asks
  --second-factor      also removes its authenticator app, passkeys and recovery codes
  --no-second-factor   leaves them; without either a terminal asks
Set DATABASE_URL, DATA_DIR and SECRET_KEY as the gateway has them, and run this as the account that the gateway runs as.`

const options = {
  keys: { type: 'boolean' },
  'no-keys': { type: 'boolean' },
  'second-factor': { type: 'boolean' },
  'no-second-factor': { type: 'boolean' },
} as const

interface ResetOptions {
  readonly name: string
  /** Undefined without the option. */
  readonly withdrawsAccess: boolean | undefined
  readonly removesSecondFactor: boolean | undefined
}

/** `--name`, `--no-name` or neither; both at once make no sense. */
function saidOf(yes: boolean | undefined, no: boolean | undefined): boolean | undefined {
  if (yes === true && no === true) throw new UsageError()
  return yes ?? (no === true ? false : undefined)
}

function accessOf({ keyCount, hasSmppAccess }: AccountToReset): string {
  const keys = keyCount === 0 ? undefined : keyCount === 1 ? 'one API key' : `${keyCount} API keys`
  return [keys, hasSmppAccess ? 'an SMPP password' : undefined].filter(Boolean).join(' and ')
}

/** Asks a person at a terminal; a program gets a message that names the options. */
async function ask(question: string, advice: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    say(advice)
    return false
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await lines.question(`${question} [y/N] `)
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}

/** Asks only without the option, and when there is something to withdraw. */
async function decide(account: AccountToReset, options: Omit<ResetOptions, 'name'>): Promise<OperatorChoice> {
  const { username, hasSecondFactor } = account
  const access = accessOf(account)
  const withdrawsAccess =
    options.withdrawsAccess ??
    (access !== '' &&
      (await ask(
        `${username} has ${access}, which work without the password. Withdraw them, too?`,
        `${username} still has ${access}. To withdraw them, run this again with --keys.`,
      )))
  const removesSecondFactor =
    options.removesSecondFactor ??
    (hasSecondFactor &&
      (await ask(
        `${username} has a second factor, which is asked for beside the new password. Remove it, too?`,
        `${username} still has a second factor. To remove it, run this again with --second-factor.`,
      )))
  return { withdrawsAccess, removesSecondFactor }
}

function report({ username, status }: AccountToReset, done: OperatorReset): void {
  const { password, smppPair, withdrawnKeyCount } = done
  say('')
  say(
    box([
      ['Username', username],
      ['New password', password],
      ...(smppPair === undefined
        ? []
        : ([
            ['SMPP system id', smppPair.systemId],
            ['SMPP password', smppPair.password],
          ] as const)),
    ]),
  )
  say(
    `Shown this once. ${username} must choose another password at the next sign-in; all its sessions have ended.`,
  )
  if (withdrawnKeyCount > 0) say(`API keys withdrawn: ${withdrawnKeyCount}.`)
  if (status !== 'active') say(`The account is ${status}: it can sign in once an admin has activated it.`)
}

async function reset({ name, ...options }: ResetOptions): Promise<number> {
  const config = readConfig(process.env)
  const storage = await openOperatorDatabase(config)
  try {
    const { db } = storage.database
    const secrets = createSecrets(await requireRootKey(db, config))
    const audit = createAudit({ db, clock: systemClock, secrets, log: createLogger('error') })
    const smppAddress = () => ({ host: config.host, port: config.smppPort })
    const users = createUsers({ db, clock: systemClock, audit, secrets, smppAddress })
    const account = await users.findToReset(name)
    if (account === undefined) {
      complain(`There is no account ${name}. Nothing was changed.`)
      return 1
    }
    const choice = await decide(account, options)
    report(account, await users.resetByOperator(account.id, choice))
    if (account.hasSecondFactor && choice.removesSecondFactor === true) say('Its second factor is removed.')
    return 0
  } finally {
    await storage.close()
  }
}

await runCommand({
  usage,
  options,
  run: ({ values, positionals: [name, ...more] }) => {
    if (name === undefined || more.length > 0) throw new UsageError()
    const withdrawsAccess = saidOf(values.keys, values['no-keys'])
    const removesSecondFactor = saidOf(values['second-factor'], values['no-second-factor'])
    return reset({ name, withdrawsAccess, removesSecondFactor })
  },
})
