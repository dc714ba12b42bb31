export {
  conversationModes,
  type PermissionMode,
  type PermissionModeFacts,
  permissionModes,
  permissionModeTable,
} from "@ikigai/permission/modes";
