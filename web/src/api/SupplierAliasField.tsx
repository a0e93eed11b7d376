import { aliasSchema, suppliersRoutes, type SupplierKey } from '@tollgate/contract/ingest/suppliers.ts'
import { useState } from 'react'
import { Unfetched } from './FetchFailure.tsx'
import { useApiMutation, useApiQuery } from './use-api.ts'
import { SaveFailure } from './SaveFailure.tsx'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/Field.tsx'
import { t } from '../language/t.ts'

const failure = t('Failed to save the alias')

/**
 * The alias of a supplier in a dialog about it. The name is the saved one, not what the form says; undefined while there is
 * none. The dialog saves it before its own values, and asks before a changed one is dropped.
 */
export function useSupplierAlias(source: SupplierKey['source'], name: string | undefined) {
  const query = { source, name: name ?? '' }
  const present = useApiQuery(suppliersRoutes.getSupplierAlias, { query }, { isEnabled: name !== undefined })
  const [typed, setTyped] = useState<string>()
  const [input, setInput] = useState<HTMLInputElement | null>(null)
  const put = useApiMutation(suppliersRoutes.setSupplierAlias, {
    refetch: [suppliersRoutes.getSupplierAlias.path],
    success: t('Alias saved'),
    failure,
    isShownInPlace: true,
    onSuccess: () => setTyped(undefined),
  })
  const chosen = present.data?.chosen ?? ''
  const checked = aliasSchema.safeParse(typed ?? chosen)
  return {
    name,
    present,
    value: typed ?? chosen,
    setTyped,
    setInput,
    fault: checked.success ? undefined : t(checked.error.issues[0]?.message ?? ''),
    error: put.error,
    before: {
      isDue: typed !== undefined && (!checked.success || checked.data !== chosen),
      isPending: put.isPending,
      /** Saves it. One with a fault, which stands at the field, gets the focus instead. */
      run: (onSaved: () => void) => {
        if (checked.success) put.mutate({ body: { ...query, alias: checked.data } }, { onSuccess: onSaved })
        else input?.focus()
      },
    },
  }
}

/** What clients see instead of a supplier's name. Its own button saves it alone: nothing has to connect or bind again for it. */
export function SupplierAliasField({ alias }: { readonly alias: ReturnType<typeof useSupplierAlias> }) {
  const { name, present, fault, before, setInput } = alias
  if (name === undefined) return null
  if (present.data === undefined)
    return <Unfetched of={present} title={t('Failed to fetch the alias')} className="h-14" />
  const { chosen, shown } = present.data
  const standard = shown === '' ? t('“Supplier” and a number') : `“${shown}”`
  return (
    <div className="space-y-2">
      <SaveFailure error={alias.error} title={failure} />
      <TextField
        ref={setInput}
        label={t('Alias for Clients')}
        hint={t('Clients see {alias} instead of {name}, in older records too. Empty: the standard alias', {
          alias: chosen === '' ? standard : `“${chosen}”`,
          name,
        })}
        error={fault}
        autoComplete="off"
        value={alias.value}
        onChange={({ target }) => alias.setTyped(target.value)}
      />
      <Button
        isDisabled={!before.isDue || fault !== undefined}
        isBusy={before.isPending}
        busyLabel={t('Saving...')}
        onClick={() => before.run(() => undefined)}
      >
        {t('Set Alias')}
      </Button>
    </div>
  )
}
