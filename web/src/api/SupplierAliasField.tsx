import { aliasSchema, suppliersRoutes, type SupplierKey } from '@tollgate/contract/suppliers.ts'
import { useState } from 'react'
import { FetchFailure } from './FetchFailure.tsx'
import { useApiMutation, useApiQuery } from './use-api.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/Field.tsx'
import { Skeleton } from '../ui/States.tsx'
import { t } from '../language/t.ts'

/**
 * What clients see instead of a supplier's name. It is saved by itself: nothing has to connect or bind again for it. The name
 * is the saved one, not what the form around it says.
 */
export function SupplierAliasField({ source, name }: SupplierKey) {
  const alias = useApiQuery(suppliersRoutes.getSupplierAlias, { query: { source, name } })
  const [typed, setTyped] = useState<string>()
  const save = useApiMutation(suppliersRoutes.setSupplierAlias, {
    refetch: [suppliersRoutes.getSupplierAlias.path],
    success: t('Alias saved'),
    failure: t('Failed to save the alias'),
    onSuccess: () => setTyped(undefined),
  })
  if (alias.data === undefined)
    return alias.error ? (
      <FetchFailure of={alias} title={t('Failed to fetch the alias')} />
    ) : (
      <Skeleton className="h-14" />
    )
  const { chosen, shown } = alias.data
  const checked = aliasSchema.safeParse(typed ?? chosen)
  const standard = shown === '' ? t('“Supplier” and a number') : `“${shown}”`
  return (
    <div className="space-y-2">
      <TextField
        label={t('Alias for Clients')}
        hint={t('Clients see {value} instead of {name}, in older records too. Empty: the standard word', {
          value: chosen === '' ? standard : `“${chosen}”`,
          name,
        })}
        error={checked.success ? undefined : t(checked.error.issues[0]?.message ?? '')}
        autoComplete="off"
        value={typed ?? chosen}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          // Enter would save the form around this field.
          if (event.key === 'Enter') event.preventDefault()
        }}
      />
      <Button
        isDisabled={!checked.success || checked.data === chosen}
        isBusy={save.isPending}
        busyLabel={t('Saving...')}
        onClick={() => checked.success && save.mutate({ body: { source, name, alias: checked.data } })}
      >
        {t('Set Alias')}
      </Button>
    </div>
  )
}
