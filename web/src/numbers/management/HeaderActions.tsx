import { numbersRoutes } from '@tollgate/contract/numbers.ts'
import { Link } from '@tanstack/react-router'
import { Boxes, Download, FileUp, Plus } from 'lucide-react'
import { urlOf } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'

interface HeaderActionsProps {
  readonly onImport: () => void
  readonly onAdd: () => void
}

/** Spec §9: the templates' file names. */
const templates = [
  { format: 'csv', label: 'CSV Template', fileName: 'premium_numbers_template.csv' },
  { format: 'xlsx', label: 'Excel Template', fileName: 'premium_numbers_template.xlsx' },
] as const

/** Spec §2: CSV Template, Excel Template, Import File, Add Number; Number Inventory opens from here. */
export function HeaderActions({ onImport, onAdd }: HeaderActionsProps) {
  return (
    <>
      <Link to={paths.numberInventory} className={buttonClass('ghost')}>
        <Boxes size={16} strokeWidth={1.6} aria-hidden="true" />
        Number Inventory
      </Link>
      {templates.map(({ format, label, fileName }) => (
        <a
          key={format}
          href={urlOf(numbersRoutes.downloadTemplate, { params: { format } })}
          download={fileName}
          className={buttonClass()}
        >
          <Download size={16} strokeWidth={1.6} aria-hidden="true" />
          {label}
        </a>
      ))}
      <Button icon={FileUp} onClick={onImport}>
        Import File
      </Button>
      <Button tone="primary" icon={Plus} onClick={onAdd}>
        Add Number
      </Button>
    </>
  )
}
