// What a rule is limited to, and how many alerts of the last week it would have told of.
import { alertRoutes, alertScopeKinds, type alertRuleBody } from '@tollgate/contract/alerts/alerts.ts'
import { connectionsRoutes } from '@tollgate/contract/connections/connections.ts'
import { rangesRoutes } from '@tollgate/contract/numbers/ranges.ts'
import { providersRoutes } from '@tollgate/contract/providers/providers.ts'
import { usersRoutes } from '@tollgate/contract/users/users.ts'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { useApiQuery } from '../api/use-api.ts'
import { counted } from '../format/counted.ts'
import { formatDateTime } from '../format/dates.ts'
import { t } from '../language/t.ts'
import { SelectField } from '../ui/Field.tsx'
import { scopeLabels } from './words.ts'

type Input = z.input<typeof alertRuleBody>
interface RuleFormProps {
  readonly form: UseFormReturn<Input, unknown, z.output<typeof alertRuleBody>>
}

const listMax = 500
const page = { query: { limit: listMax } } as const

/** What a kind can be limited to, by id. */
function useChoices(kind: string): readonly { readonly value: string; readonly label: string }[] {
  const isOf = (one: string) => ({ isEnabled: kind === one })
  const connections = useApiQuery(connectionsRoutes.listConnections, {}, isOf('connection'))
  const providers = useApiQuery(providersRoutes.listProviders, {}, isOf('provider'))
  const people = useApiQuery(
    usersRoutes.listUsers,
    { query: { ...page.query, sort: 'username', order: 'asc' } },
    isOf('account'),
  )
  const ranges = useApiQuery(rangesRoutes.listRanges, page, isOf('range'))
  if (kind === 'connection')
    return (connections.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  if (kind === 'provider') return (providers.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  if (kind === 'range')
    return (ranges.data ?? []).map(({ id, rangeNumber }) => ({ value: id, label: rangeNumber }))
  return (people.data ?? []).map(({ id, username }) => ({ value: String(id), label: username }))
}

export function ScopeFields({ form }: RuleFormProps) {
  const scope = form.watch('scope') ?? null
  const choices = useChoices(scope?.kind ?? '')
  const set = (next: Input['scope']) =>
    form.setValue('scope', next, { shouldDirty: true, shouldValidate: form.formState.isSubmitted })
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label={t('Only about')}
        options={[
          { value: '', label: t('Everything') },
          ...alertScopeKinds.map((value) => ({ value, label: scopeLabels[value] })),
        ]}
        value={scope?.kind ?? ''}
        onChange={({ target: { value } }) => {
          const kind = alertScopeKinds.find((each) => each === value)
          set(kind === undefined ? null : { kind, id: '' })
        }}
      />
      {scope && (
        <SelectField
          label={t('Which')}
          options={[{ value: '', label: t('Choose one') }, ...choices]}
          value={scope.id}
          error={form.formState.errors.scope === undefined ? undefined : t('Choose one')}
          onChange={({ target: { value } }) => set({ ...scope, id: value })}
        />
      )}
    </div>
  )
}

/** As far as it is stored. */
export function FittingCount({ form }: RuleFormProps) {
  const { kinds, minSeverity, threshold, forMinutes, scope } = form.watch()
  const isWhole = [threshold, forMinutes].every((value) => /^\d+$/.test(String(value))) && scope?.id !== ''
  const fitting = useApiQuery(
    alertRoutes.countFittingAlerts,
    {
      query: {
        kinds: kinds.join(','),
        minSeverity,
        threshold: Number(threshold) || 1,
        forMinutes: Number(forMinutes),
        ...(scope && { scopeKind: scope.kind, scopeId: scope.id }),
      },
    },
    { isEnabled: isWhole },
  )
  if (!isWhole || fitting.data === undefined) return null
  const { count, since } = fitting.data
  return (
    <p role="status" className="text-ink-2">
      {count === null || since === null
        ? t(
            'How many alerts of the last seven days fit this rule is not known: no rule that is on covers it, so they were not stored.',
          )
        : counted(
            count,
            '1 alert since {since} fits this rule.',
            '{count} alerts since {since} fit this rule.',
            { since: formatDateTime(since) },
          )}
    </p>
  )
}
