export function neededPackages(root: string, workspaces?: readonly string[]): string[]
export function isInstalled(root: string, paths?: readonly string[]): boolean
export function fitsWorkspaces(root: string): boolean
export function installPackages(root: string): boolean
export function healExchange(root: string): void
