import { Refusal } from '@tollgate/contract/errors.ts'
import { labelled } from '@tollgate/contract/sentences.ts'
import { alertKindNames, alertKinds, alertRoutes, type AlertKind } from '@tollgate/contract/alerts/alerts.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { Audit } from '../audit/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type Actor, type BoundRoutes, type Caller } from '../http/handlers.ts'
import { transaction } from '../platform/transaction.ts'
import { countUnread, listNotifications, readUpTo } from './notifications.ts'
import { listOwnNotifications } from './own-notifications.ts'
import { countFitting } from './count-fitting.ts'
import { readSetup, type SetupState } from './setup.ts'
import { weightOf, type Collected } from './collect.ts'
import {
  deleteAcknowledgements,
  deleteRule,
  findRule,
  hasEndpoint,
  insertRule,
  listAcknowledgements,
  listRules,
  putAcknowledgement,
  readScope,
  updateRule,
  type AcknowledgementRow,
  type RuleFields,
  type RuleRow,
} from './store.ts'

export interface AlertRouteDeps {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  readonly mail: unknown
  readonly setup: SetupState
  /** The alerts of now, at most two seconds old. */
  readonly read: () => Promise<Collected>
}

export function bindAlertRoutes(deps: AlertRouteDeps): BoundRoutes {
  const { db, clock } = deps
  return bindRoutes(alertRoutes, {
    listAlerts: (_, { actor }) => listAlerts(deps, actor),
    acknowledgeAlert: ({ body }, caller) => acknowledge(deps, body, caller),
    withdrawAcknowledgement: ({ query }, caller) => withdraw(deps, query.key, caller),
    readSetup: () => readSetup(db, deps.setup, deps.mail !== undefined),
    listAlertRules: async () => ({
      rules: (await listRules(db)).map(toRule),
      hasMail: deps.mail !== undefined,
    }),
    async countFittingAlerts({ query: { scopeKind, scopeId, ...rule } }) {
      const scope =
        scopeKind === undefined || scopeId === undefined
          ? null
          : await readScope(db, { kind: scopeKind, id: scopeId })
      return countFitting(db, { ...rule, scope }, clock.now())
    },
    createAlertRule: ({ body }, context) =>
      context.once(db, (tx) =>
        saveRule({ ...deps, db: tx }, context, 'alert_rule.create', body, (on) =>
          insertRule(on, body, clock.now()),
        ),
      ),
    updateAlertRule: ({ params, body }, caller) =>
      saveRule(deps, caller, 'alert_rule.update', body, async (tx) => {
        if ((await findRule(tx, params.id)) === undefined) throw unknownRule()
        if (await updateRule(tx, params.id, body.version, body, clock.now())) return params.id
        throw new Refusal('stale', 'Somebody else has changed this rule. Load it again.')
      }),
    deleteAlertRule: ({ params }, caller) => removeRule(deps, params.id, caller),
    listNotifications: ({ query }, { actor }) => listNotifications(db, actor, query),
    listOwnNotifications: (_, { actor }) => listOwnNotifications(db, actor.userId, clock.now()),
    countNotifications: async (_, { actor }) => ({ count: await countUnread(db, actor) }),
    readNotifications: ({ body }, { actor }) => readUpTo(db, actor.userId, body.upTo),
  })
}

const unknownRule = () => new Refusal('not_found', 'There is no such rule.')

async function listAlerts({ db, clock, read }: AlertRouteDeps, actor: Actor) {
  const [{ alerts, unlisted, missing }, acknowledged] = await Promise.all([
    read(),
    listAcknowledgements(db, clock.now()),
  ])
  return {
    alerts: alerts
      .filter((found) => maySee(actor, found))
      .map((found) => ({
        ...found,
        hours: [...found.hours],
        acknowledged: toAcknowledgement(
          acknowledged.find(
            ({ key, severity }) => key === found.key && weightOf(found.severity) <= weightOf(severity),
          ),
        ),
      })),
    unlisted: unlisted.filter((left) => maySee(actor, left)),
    missing: missing
      .filter(({ kinds }) => kinds.some((kind) => isPermitted(actor.role, alertKinds[kind])))
      .map(({ name }) => name.template),
  }
}

const maySee = (actor: Actor, { kind }: { readonly kind: AlertKind }) =>
  isPermitted(actor.role, alertKinds[kind])

function toAcknowledgement(found: AcknowledgementRow | undefined) {
  return found === undefined
    ? null
    : { by: found.by, at: found.at.toISOString(), until: found.until?.toISOString() ?? null }
}

async function acknowledge(
  { db, clock, audit, read }: AlertRouteDeps,
  { key, until }: { readonly key: string; readonly until: string | null },
  { actor, ip }: Caller,
) {
  const now = clock.now()
  const end = until === null ? null : new Date(until)
  if (end !== null && end <= now) {
    const fault = 'Choose a time that is still to come'
    throw new Refusal('invalid', labelled('until', fault), { fields: { until: fault } })
  }
  const found = (await read()).alerts.find((each) => each.key === key && maySee(actor, each))
  if (found === undefined) throw new Refusal('not_found', 'This alert is gone already.')
  await transaction(db, async (tx) => {
    await putAcknowledgement(tx, found, { userId: actor.userId, now, until: end })
    await audit.record(tx, {
      actor,
      ip,
      action: 'alert.acknowledge',
      objectType: 'alert',
      objectId: key.slice(0, 50),
      after: { key, until },
    })
  })
  return { by: actor.username, at: now.toISOString(), until }
}

async function withdraw(
  { db, audit }: AlertRouteDeps,
  key: string,
  { actor, ip }: Caller,
): Promise<undefined> {
  // A key begins with the kind. What the person may not see is answered like what is not there.
  const kind = alertKindNames.find((name) => key.startsWith(`${name}:`))
  await transaction(db, async (tx) => {
    const isSeen = kind !== undefined && maySee(actor, { kind })
    if (!isSeen || (await deleteAcknowledgements(tx, [key])) === 0)
      throw new Refusal('not_found', 'Nobody has acknowledged this alert.')
    await audit.record(tx, {
      actor,
      ip,
      action: 'alert.withdraw',
      objectType: 'alert',
      objectId: key.slice(0, 50),
      before: { key },
    })
  })
}

async function saveRule(
  { db, audit }: AlertRouteDeps,
  { actor, ip }: Caller,
  action: string,
  { name, kinds, scope, mailTo, endpointId, isOn }: RuleFields,
  save: (tx: Db) => Promise<string>,
) {
  return transaction(db, async (tx) => {
    if (endpointId !== null && !(await hasEndpoint(tx, endpointId))) {
      const fault = 'Choose an endpoint of the staff that still exists'
      throw new Refusal('invalid', labelled('endpointId', fault), { fields: { endpointId: fault } })
    }
    const id = await save(tx)
    await audit.record(tx, {
      actor,
      ip,
      action,
      objectType: 'alert_rule',
      objectId: id,
      after: { name, kinds, scope, mailTo, endpointId, isOn },
    })
    const saved = await findRule(tx, id)
    if (saved === undefined) throw unknownRule()
    return toRule(saved)
  })
}

async function removeRule(
  { db, audit }: AlertRouteDeps,
  id: string,
  { actor, ip }: Caller,
): Promise<undefined> {
  await transaction(db, async (tx) => {
    const rule = await findRule(tx, id)
    if (rule === undefined || !(await deleteRule(tx, id))) throw unknownRule()
    await audit.record(tx, {
      actor,
      ip,
      action: 'alert_rule.delete',
      objectType: 'alert_rule',
      objectId: id,
      before: { name: rule.name },
    })
  })
}

function toRule({ scope, ...rule }: RuleRow) {
  return {
    ...rule,
    kinds: [...rule.kinds],
    mailTo: [...rule.mailTo],
    scope: scope && { kind: scope.kind, id: scope.id },
    scopeName: scope?.names[0] ?? '',
  }
}
