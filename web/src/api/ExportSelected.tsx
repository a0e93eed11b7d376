import { chosenRowsMax } from '@tollgate/contract/fields.ts'
import type { Route } from '@tollgate/contract/route.ts'
import { Download } from 'lucide-react'
import { useFileExport } from './use-file-export.ts'
import { formatCount } from '../format/money.ts'
import { Button } from '../ui/Button.tsx'
import { useCsvForm } from '../ui/csv-form.ts'
import { t } from '../language/t.ts'

interface ExportSelectedProps {
  /** A route that takes ids and answers with an export of those rows. */
  readonly route: Route
  readonly ids: ReadonlySet<string>
  /** What the route takes beside the ids. */
  readonly choices?: object
}

/** In the selection bar: downloads the selected rows in the format of the whole list's export. */
export function ExportSelected({ route, ids, choices }: ExportSelectedProps) {
  const { query } = useCsvForm()
  const { isBusy, save } = useFileExport()
  const isTooMany = ids.size > chosenRowsMax
  return (
    <>
      {isTooMany && (
        <span className="text-ink-3">
          {t('At most {chosenRowsMax} rows are exported at once', {
            chosenRowsMax: formatCount(chosenRowsMax),
          })}
        </span>
      )}
      <Button
        size="sm"
        icon={Download}
        isBusy={isBusy}
        isDisabled={isTooMany}
        onClick={() => void save(route, { query, body: { ...choices, ids: [...ids] } })}
      >
        {t('Export Selected ({count})', { count: formatCount(ids.size) })}
      </Button>
    </>
  )
}
