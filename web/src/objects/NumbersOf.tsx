import { useNavigate } from '@tanstack/react-router'
import { numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import { useMemo } from 'react'
import { tableOf } from '../api/FetchFailure.tsx'
import { useApiPages } from '../api/use-api.ts'
import { formatPhone } from '../format/phone.ts'
import { accountColumns, withAccountLabels } from '../numbers/accounts/columns.tsx'
import { objectPath } from '../paths.ts'
import { EmptyState } from '../ui/States.tsx'
import { DataTable } from '../ui/table/DataTable.tsx'
import { t } from '../language/t.ts'

interface NumbersOfProps {
  readonly query: { readonly holderId?: number; readonly rangeId?: string }
  readonly empty: string
  /** A column that says the same in each row. */
  readonly without?: string
}

const columns = accountColumns({ isStaff: false, isMasked: true })

/** The numbers of one person or range; each leads to its page. */
export function NumbersOf({ query, empty, without }: NumbersOfProps) {
  const navigate = useNavigate()
  const list = useApiPages(numbersRoutes.listAccountNumbers, { query })
  const rows = useMemo(() => withAccountLabels(list.rows), [list.rows])
  return (
    <DataTable
      label={t('Numbers')}
      columns={columns.filter(({ id }) => id !== without)}
      rowId={({ id }) => id}
      rowLabel={({ phoneNumber }) => formatPhone(phoneNumber)}
      onOpen={({ id }) => void navigate({ to: objectPath('number', id) })}
      loadingLabel={t('Loading numbers...')}
      {...tableOf(list, t('Failed to fetch numbers'))}
      rows={rows}
      empty={<EmptyState title={empty} />}
    />
  )
}
