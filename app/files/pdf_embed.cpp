#include <memory>
#include <qpdf/Buffer.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFEFStreamObjectHelper.hh>
#include <qpdf/QPDFEmbeddedFileDocumentHelper.hh>
#include <qpdf/QPDFFileSpecObjectHelper.hh>
#include <qpdf/QPDFWriter.hh>
#include <string>

// Compiled as C++17, and declared where it is called, in picture_document.cpp: clang cannot read these headers as
// C++20.
namespace attnscope {
namespace {

void embed(QPDF& pdf, const char* name, const std::string& json, const char* key) {
  QPDFEFStreamObjectHelper stream = QPDFEFStreamObjectHelper::createEFStream(pdf, json);
  stream.setSubtype("application/json");
  stream.getObjectHandle().getDict().replaceKey(key, QPDFObjectHandle::newBool(true));
  QPDFFileSpecObjectHelper file = QPDFFileSpecObjectHelper::createFileSpec(pdf, name, stream);
  file.setDescription("The document that this figure shows; attnscope opens it from the PDF.");
  file.getObjectHandle().replaceKey("/AFRelationship", QPDFObjectHandle::newName("/Source"));
  QPDFEmbeddedFileDocumentHelper(pdf).replaceEmbeddedFile(name, file);
}

}  // namespace

std::string with_embedded_file(const std::string& pdf, const char* name, const std::string& json, const char* key) {
  QPDF file;
  file.setSuppressWarnings(true);
  file.processMemoryFile("figure.pdf", pdf.data(), pdf.size());
  embed(file, name, json, key);
  QPDFWriter writer(file);
  writer.setOutputMemory();
  writer.setObjectStreamMode(qpdf_o_preserve);
  writer.setDeterministicID(true);
  writer.write();
  const std::shared_ptr<Buffer> bytes = writer.getBufferSharedPointer();
  return {reinterpret_cast<const char*>(bytes->getBuffer()), bytes->getSize()};
}

}  // namespace attnscope
