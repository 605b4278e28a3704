print("meshplan")
